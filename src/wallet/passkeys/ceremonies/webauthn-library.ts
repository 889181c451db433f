/**
 * The library that reads and verifies what authenticators send. Loading it takes a fifth of a second, so that is done when it is first needed, and once: to ask
 * the runtime for it each time is a noticeable part of a sign-in.
 * What is not told which algorithms it may use tries out what the runtime has, which warns: they are always told.
 */
export const webAuthn = kept(() => import('@simplewebauthn/server'))
export const webAuthnHelpers = kept(() => import('@simplewebauthn/server/helpers'))

function kept<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined
  return () => (loaded ??= load())
}
