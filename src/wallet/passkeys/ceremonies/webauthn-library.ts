/**
 * The library that reads and verifies what authenticators send. Loading it takes a fifth of a second, so that is done when it is first needed.
 * What is not told which algorithms it may use tries out what the runtime has, which warns: they are always told.
 */
export const webAuthn = () => import('@simplewebauthn/server')
export const webAuthnHelpers = () => import('@simplewebauthn/server/helpers')
