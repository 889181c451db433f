import type { CDPSession, Page } from 'playwright-core'

export interface VirtualAuthenticator {
  /** How many passkeys it has. */
  count(): Promise<number>
  /** Whether it finds the person whom it asks. */
  setUserVerified(isVerified: boolean): Promise<void>
  /** Whether it answers without anybody touching it. */
  setPresence(isAutomatic: boolean): Promise<void>
  /** Gives its passkeys to that of another page: a device has them for all of its windows. */
  copyTo(other: VirtualAuthenticator): Promise<void>
  /** Takes a passkey of another one. */
  take(credential: VirtualCredential): Promise<void>
}

/** A passkey with its private key, as the browser's protocol has it. */
interface VirtualCredential {
  readonly credentialId: string
  readonly isResidentCredential: boolean
  readonly rpId?: string
  readonly privateKey: string
  readonly userHandle?: string
  readonly signCount: number
}

/**
 * Gives a page an authenticator. It belongs to this page alone. @param transport `internal`: as those are that are
 * built into devices; there is one of these at most
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
