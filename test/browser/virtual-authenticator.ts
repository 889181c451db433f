import type { CDPSession, Page } from 'playwright-core'

export interface VirtualAuthenticator {
  /** Number of passkeys. */
  count(): Promise<number>
  /** Whether user verification succeeds. */
  setUserVerified(isVerified: boolean): Promise<void>
  /** Whether it responds without user interaction. */
  setPresence(isAutomatic: boolean): Promise<void>
  /**
   * Copies its passkeys to another page's authenticator, as a device shares them between windows.
   */
  copyTo(other: VirtualAuthenticator): Promise<void>
  /** Imports a passkey. */
  take(credential: VirtualCredential): Promise<void>
}

/** A passkey with its private key, in the format of the DevTools protocol. */
interface VirtualCredential {
  readonly credentialId: string
  readonly isResidentCredential: boolean
  readonly rpId?: string
  readonly privateKey: string
  readonly userHandle?: string
  readonly signCount: number
}

/**
 * Adds an authenticator to a page; other pages cannot use it.
 * @param transport `internal`: a platform authenticator, at most one per page
 */
export async function addAuthenticator(
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  })
  return {
    copyTo: async (other) => {
      for (const credential of await credentialsOf(session, authenticatorId)) await other.take(credential)
    },
    take: async (credential) => void (await session.send('WebAuthn.addCredential', { authenticatorId, credential })),
    count: async () => (await credentialsOf(session, authenticatorId)).length,
    setUserVerified: async (isUserVerified) =>
      void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    setPresence: async (enabled) =>
      void (await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })),
  }
}

async function credentialsOf(session: CDPSession, authenticatorId: string): Promise<readonly VirtualCredential[]> {
  return (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}
