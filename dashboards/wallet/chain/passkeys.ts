import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { Auth } from '../../auth/auth-provider.tsx'
import type {
  AccountRow,
  ActivityRow,
  AccountStanding,
  ContactRow,
  DeveloperAccess,
  LinkedProjects,
  Network,
  PasskeyRow,
  SecurityRow,
  SessionRow,
} from '../types.ts'
import { callFunction } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import { hasSignals, rememberPasskey } from '../../auth/sign-in.ts'

/** All functions throw ApiProblem; those that prompt throw browser errors too. */

export type Access = Pick<Auth, 'options' | 'sessionManager'>
interface Begun<Options> {
  readonly options: Options
  readonly challengeId: string
}
interface Confirmation {
  readonly challengeId: string
  readonly response: AuthenticationResponseJSON
}

/** The assertion covers nothing else. */
type UserChange =
  | { readonly action: 'add-passkey' }
  | { readonly action: 'accept-device'; readonly credentialId: string }
  | { readonly action: 'email-recovery'; readonly isEnabled: boolean }
  | { readonly action: 'remove-passkey'; readonly credentialId: string; readonly abandon: readonly string[] }
  | { readonly action: 'change-email'; readonly email: string }
  | { readonly action: 'delete-user'; readonly abandon: readonly string[] }
  | { readonly action: 'make-api-key'; readonly name: string }

export async function call<Data>(
  { options, sessionManager }: Access,
  endpoint: string,
  data: unknown = {},
): Promise<Data> {
  return callFunction<Data>(options, endpoint, data, await sessionManager.accessToken())
}

export async function listPasskeys(access: Access): Promise<readonly PasskeyRow[]> {
  return (await call<{ readonly passkeys: readonly PasskeyRow[] }>(access, '/passkeys/list')).passkeys
}

export async function listAccounts(access: Access): Promise<readonly AccountRow[]> {
  return (await call<{ readonly accounts: readonly AccountRow[] }>(access, '/wallet/accounts')).accounts
}

export async function listActivity(access: Access): Promise<readonly ActivityRow[]> {
  return (await call<{ readonly activity: readonly ActivityRow[] }>(access, '/passkeys/activity')).activity
}

export async function makePasskey(
  access: Access,
  name?: string,
): Promise<{ readonly passkey: PasskeyRow; readonly publicKeySec1Hex: string }> {
  const { rpId, rpName } = access.options
  const begin = (confirmation?: Confirmation): Promise<Begun<PublicKeyCredentialCreationOptionsJSON>> =>
    call(access, '/register/start', { rpId, rpName, confirmation })
  const { options, challengeId } = await withConfirmation(access, { action: 'add-passkey' }, begin)
  // Third-party pages pass their name.
  const response = await startRegistration({ optionsJSON: { ...options, rp: { ...options.rp, name: rpName } } })
  const made = await call<{ readonly passkey: PasskeyRow; readonly publicKeySec1Hex: string }>(
    access,
    '/register/finish',
    {
      rpId,
      challengeId,
      response,
      ...(name === undefined || name === '' ? {} : { authenticatorName: name }),
    },
  )
  rememberPasskey(response.id, { isFirst: true })
  return made
}

export async function renamePasskey(access: Access, credentialId: string, authenticatorName: string): Promise<void> {
  await call(access, '/passkeys/update', { credentialId, authenticatorName })
}

/**
 * The passkey stays a key of its accounts until it is revoked there. @param abandon accounts that
 * lose their last usable key
 */
export async function removePasskey(access: Access, credentialId: string, abandon: readonly string[]): Promise<void> {
  await withConfirmation(access, { action: 'remove-passkey', credentialId, abandon }, (confirmation) =>
    call(access, '/passkeys/remove', { credentialId, abandon, confirmation }),
  )
}

export async function createAccounts(
  access: Access,
  credentialId: string,
  networks: readonly Network[],
): Promise<Readonly<Partial<Record<Network, AccountStanding>>>> {
  const answer = await call<{ readonly networks: Readonly<Partial<Record<Network, AccountStanding>>> }>(
    access,
    '/wallet/provision',
    { credentialId, networks },
  )
  return answer.networks
}

export async function saveAccount(
  access: Access,
  account: { readonly credentialId: string; readonly network: Network; readonly address: string },
): Promise<void> {
  await call(access, '/wallet/provision-save', account)
}

export async function listContacts(access: Access): Promise<readonly ContactRow[]> {
  return (await call<{ readonly contacts: readonly ContactRow[] }>(access, '/wallet/contacts')).contacts
}

export async function addContact(
  access: Access,
  contact: { readonly name: string; readonly address: string },
): Promise<void> {
  await call(access, '/wallet/contacts-add', contact)
}

export async function removeContact(access: Access, id: string): Promise<void> {
  await call(access, '/wallet/contacts-remove', { id })
}

export async function listSessions(access: Access): Promise<readonly SessionRow[]> {
  return (await call<{ readonly sessions: readonly SessionRow[] }>(access, '/account/sessions')).sessions
}

export async function endSession(access: Access, id: string): Promise<void> {
  await call(access, '/account/sessions-end', { id })
}

export async function listProjects(access: Access): Promise<LinkedProjects> {
  return await call<LinkedProjects>(access, '/account/projects')
}

export async function readDeveloperAccess(access: Access): Promise<DeveloperAccess> {
  return await call<DeveloperAccess>(access, '/account/keys')
}

/** @returns the key, which the service does not store */
export async function makeApiKey(access: Access, name: string): Promise<string> {
  return withConfirmation(
    access,
    { action: 'make-api-key', name },
    async (confirmation) =>
      (await call<{ readonly text: string }>(access, '/account/keys-make', { name, confirmation })).text,
  )
}

export async function revokeApiKey(access: Access, id: number): Promise<void> {
  await call(access, '/account/keys-revoke', { id })
}

export async function readSecurityLog(
  access: Access,
  cursor: string | undefined,
): Promise<{ readonly events: readonly SecurityRow[]; readonly cursor: string | null }> {
  return await call(access, '/security/log', cursor === undefined ? {} : { cursor })
}

export interface SignatureReport {
  readonly kind: 'transaction' | 'message' | 'proof'
  readonly origin?: string | undefined
  readonly network: Network
  readonly address: string
  readonly credentialId: string
  readonly action?: string | undefined
  readonly summary: string
}

/** For the security log. A signature is valid without it, so failures are not shown. */
export function reportSignature(access: Access, report: SignatureReport): void {
  const summary = report.summary.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').slice(0, 300)
  call(access, '/security/signed', { ...report, summary }).catch(() => undefined)
}

interface Accepted {
  readonly isComplete: boolean
  readonly userHandle?: string
  readonly credentialIds?: readonly string[]
}

/** Removed passkeys vanish from password managers, unless an account still has their key. */
export async function signalAccepted(access: Access): Promise<void> {
  if (!hasSignals()) return
  const { isComplete, userHandle, credentialIds } = await call<Accepted>(access, '/passkeys/accepted')
  if (!isComplete || userHandle === undefined || credentialIds === undefined) return
  await PublicKeyCredential.signalAllAcceptedCredentials({
    rpId: access.options.rpId,
    userId: userHandle,
    allAcceptedCredentialIds: [...credentialIds],
  })
}

export type DeviceStatus =
  | { readonly state: 'none' }
  | { readonly state: 'waiting'; readonly expiresAt: string }
  | {
      readonly state: 'joined'
      readonly expiresAt: string
      readonly credentialId: string
      readonly name: string
      readonly from: string
      readonly check: string
    }

export async function startDevice(access: Access): Promise<{ readonly code: string; readonly expiresAt: string }> {
  return await call(access, '/devices/start')
}

export async function readDeviceStatus(access: Access): Promise<DeviceStatus> {
  return await call<DeviceStatus>(access, '/devices/status')
}

export async function cancelDevice(access: Access): Promise<void> {
  await call(access, '/devices/cancel')
}

export async function acceptDevice(access: Access, credentialId: string): Promise<void> {
  await withConfirmation(access, { action: 'accept-device', credentialId }, (confirmation) =>
    call(access, '/devices/accept', { credentialId, confirmation }),
  )
}

export interface RecoveryStatus {
  readonly isEnabled: boolean
  readonly dueAt: string | null
  /** Accounts that get the key of its passkey. */
  readonly addresses: readonly string[]
}

export interface RecoverableAccount {
  readonly network: Network
  readonly address: string
  readonly isOn: boolean
  /** When a key is added. */
  readonly dueAt: string | null
  /** Address of FlowfarmRecovery. */
  readonly contract: string
  /** Account of the operator that announces keys. */
  readonly recoverer: string
}

export async function readRecovery(access: Access): Promise<RecoveryStatus> {
  return await call<RecoveryStatus>(access, '/recovery/status')
}

export async function setRecovery(access: Access, isEnabled: boolean): Promise<void> {
  await withConfirmation(access, { action: 'email-recovery', isEnabled }, (confirmation) =>
    call(access, '/recovery/enable', { isEnabled, confirmation }),
  )
}

/** The passkey is valid when the recovery is complete. */
export async function beginRecovery(access: Access): Promise<void> {
  const { options, challengeId } = await call<Begun<PublicKeyCredentialCreationOptionsJSON>>(access, '/recovery/start')
  const response = await startRegistration({ optionsJSON: options })
  await call(access, '/recovery/begin', { challengeId, response })
}

export async function readRecoverable(
  access: Access,
): Promise<{ readonly userId: string; readonly accounts: readonly RecoverableAccount[] }> {
  return await call(access, '/recovery/accounts')
}

export async function cancelRecovery(access: Access): Promise<void> {
  await call(access, '/recovery/cancel')
}

/** On the other device, without a session. @returns digits to compare */
export async function joinAsDevice({ options }: Pick<Access, 'options'>, code: string): Promise<string> {
  const begun = await callFunction<Begun<PublicKeyCredentialCreationOptionsJSON>>(options, '/devices/join', { code })
  const response = await startRegistration({ optionsJSON: begun.options })
  const { check } = await callFunction<{ readonly check: string }>(options, '/devices/finish', {
    code,
    challengeId: begun.challengeId,
    response,
  })
  return check
}

const missing: ReadonlySet<string> = new Set(['REAUTHENTICATION_REQUIRED', 'reauthentication_needed'])

/** Repeats the change with a passkey assertion where the service requires one. */
export async function withConfirmation<Answer>(
  access: Access,
  change: UserChange,
  run: (confirmation?: Confirmation) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ApiProblem) || !missing.has(error.code)) throw error
    return run(await confirmChange(access, change, error))
  }
}

/** @param required the service's error: users without a passkey must sign in again */
async function confirmChange(access: Access, change: UserChange, required: ApiProblem): Promise<Confirmation> {
  try {
    const { options, challengeId } = await call<Begun<PublicKeyCredentialRequestOptionsJSON>>(
      access,
      '/passkeys/confirm',
      { rpId: access.options.rpId, change },
    )
    return { challengeId, response: await startAuthentication({ optionsJSON: options }) }
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'CREDENTIAL_NOT_FOUND') throw required
    throw error
  }
}
