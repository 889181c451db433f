import type { PasskeyRow } from '../contract.ts'

/** As its user called it, or where it is. */
export function passkeyName({ authenticatorName: name, deviceType }: Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>): string {
  return name ?? (deviceType === 'multiDevice' ? 'Passkey of several devices' : 'Passkey of one device')
}
