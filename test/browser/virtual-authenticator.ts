import type { CDPSession, Page } from 'playwright-core'

export interface VirtualAuthenticator {
  /** How many passkeys it has. */
  count(): Promise<number>
  /** Whether it finds the person whom it asks. */
  setUserVerified(isVerified: boolean): Promise<void>
  /** Whether it answers without anybody touching it. */
  setPresence(isAutomatic: boolean): Promise<void>
}

/** Gives a page an authenticator. It belongs to this page alone. @param transport `internal`: as those are that are built into devices; there is one of these at most */
export async function addAuthenticator(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2', ctap2Version: 'ctap2_1', transport, hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
      defaultBackupEligibility: true, defaultBackupState: true,
    },
  })
  return {
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    setUserVerified: async (isUserVerified) => void await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    setPresence: async (enabled) => void await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}
