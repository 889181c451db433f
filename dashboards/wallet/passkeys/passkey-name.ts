import type { PasskeyRow } from '../contract.ts'

/** As its user called it, or where it is. */
export function passkeyName({
  authenticatorName: name,
  deviceType,
}: Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>): string {
  return name ?? (deviceType === 'multiDevice' ? 'Passkey of several devices' : 'Passkey of one device')
}

/** Passkeys with names that differ: of those that have the same, each gets its number in the order in which they were made. */
export function withOwnNames<Passkey extends Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>>(
  passkeys: readonly Passkey[],
): readonly Passkey[] {
  const names = passkeys.map(passkeyName)
  return passkeys.map((passkey, at) => {
    const name = names[at] ?? ''
    const isShared = names.filter((one) => one === name).length > 1
    return isShared
      ? { ...passkey, authenticatorName: `${name} (${names.slice(0, at + 1).filter((one) => one === name).length})` }
      : passkey
  })
}
