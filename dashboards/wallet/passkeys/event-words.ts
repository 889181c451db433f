const words: Readonly<Record<string, string>> = {
  registration_completed: 'A passkey was made',
  registration_failed: 'A passkey could not be made',
  authentication_completed: 'A passkey was used here',
  authentication_failed: 'A passkey was refused',
  passkey_removed: 'A passkey was removed',
  passkey_restored: 'A removed passkey was restored',
  passkey_updated: 'A passkey was renamed',
  rate_limit_exceeded: 'Too many tries were stopped',
  challenge_expired: 'A try came too late',
  counter_mismatch: 'A copied passkey was refused',
}

/** What the log of the passkey function says, for people. */
export function eventWords(event: string): string {
  return (Object.hasOwn(words, event) ? words[event] : undefined) ?? event.replaceAll('_', ' ')
}
