/** A passkey of a user, as far as accounts on the chain go. */
export interface KnownPasskey {
  /** base64url. */
  readonly credentialId: string
  readonly userId: string
  /** 65 bytes with 04, hex: 130 digits. */
  readonly publicKeySec1Hex: string
}

/** Passkeys by their owner. */
export interface KnownPasskeys {
  /** Undefined for one that is not there, was removed, or is somebody else's: nobody is told which. */
  find(userId: string, credentialId: string): Promise<KnownPasskey | undefined>
  of(userId: string): Promise<readonly KnownPasskey[]>
  /** Those that the user has removed, the last ones first. They sign nobody in; accounts on the chain may have their keys. */
  removedOf(userId: string): Promise<readonly KnownPasskey[]>
}
