export { ApiProblem } from '../kit/api.ts'
export { fullOptions, isRetryable, problemText } from './auth-service.ts'
export type { AuthOptions, FullAuthOptions } from './auth-service.ts'
export { rolesOf } from './roles.ts'
export type { Roles } from './roles.ts'
export { SessionManager } from './session.ts'
export type { SessionState, SessionUser } from './session.ts'
export {
  canAutofill,
  cancelPasskeyPrompt,
  finishCallback,
  offeredOAuth,
  sendCode,
  signInByPasskey,
  startOAuth,
  verifyCode,
} from './sign-in.ts'
