import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { AuthenticationResponseJSON, PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import type { Auth } from '../../auth/auth-provider.tsx'
import type { AccountRow, ActivityRow, AccountStanding, Network, PasskeyRow } from '../contract.ts'
import { WalletProblem } from '../../auth/problem.ts'
import { callFunction } from '../../auth/passkey-function.ts'
import { usedPasskeyHere } from '../../auth/passkey-here.ts'

/** What people do with their passkeys. Every function throws WalletProblem; those that ask for a passkey throw what the browser throws too. */

type Access = Pick<Auth, 'options' | 'keeper'>
interface Begun<Options> { readonly options: Options; readonly challengeId: string }
interface Confirmation { readonly challengeId: string; readonly response: AuthenticationResponseJSON }

async function call<Data>({ options, keeper }: Access, endpoint: string, data: unknown = {}): Promise<Data> {
  return callFunction<Data>(options, endpoint, data, await keeper.accessToken())
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

/** Makes a passkey on this device, or where the browser keeps them. */
export async function makePasskey(access: Access, name?: string): Promise<{ readonly passkey: PasskeyRow; readonly publicKeySec1Hex: string }> {
  const { rpId, rpName } = access.options
  const begin = (confirmation?: Confirmation): Promise<Begun<PublicKeyCredentialCreationOptionsJSON>> => call(access, '/register/start', { rpId, rpName, confirmation })
  const { options, challengeId } = await withConfirmation(access, begin)
  // The service knows its own name; a page of somebody else's is called as it says.
  const response = await startRegistration({ optionsJSON: { ...options, rp: { ...options.rp, name: rpName } } })
  const made = await call<{ readonly passkey: PasskeyRow; readonly publicKeySec1Hex: string }>(access, '/register/finish', {
    rpId, challengeId, response, ...(name === undefined || name === '' ? {} : { authenticatorName: name }),
  })
  usedPasskeyHere(response.id, { isFirst: true })
  return made
}

export async function renamePasskey(access: Access, credentialId: string, authenticatorName: string): Promise<void> {
  await call(access, '/passkeys/update', { credentialId, authenticatorName })
}

/** Nobody signs in by it any more; it stays a key of its accounts until it is revoked there. */
export async function removePasskey(access: Access, credentialId: string): Promise<void> {
  await withConfirmation(access, (confirmation) => call(access, '/passkeys/remove', { credentialId, confirmation }))
}

/** Has the accounts of a passkey made, and waits for them as long as the service does. */
export async function makeAccounts(access: Access, credentialId: string, networks: readonly Network[]): Promise<Readonly<Partial<Record<Network, AccountStanding>>>> {
  const answer = await call<{ readonly networks: Readonly<Partial<Record<Network, AccountStanding>>> }>(access, '/wallet/provision', { credentialId, networks })
  return answer.networks
}

/** Adds an account that somebody has already, where the chain shows the passkey as a key of it. */
export async function saveAccount(access: Access, account: { readonly credentialId: string; readonly network: Network; readonly address: string }): Promise<void> {
  await call(access, '/wallet/provision-save', account)
}

/** Where the sign-in is too long ago for what is asked, a passkey confirms it. */
async function withConfirmation<Answer>(access: Access, run: (confirmation?: Confirmation) => Promise<Answer>): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof WalletProblem) || error.code !== 'REAUTHENTICATION_REQUIRED') throw error
    const { options, challengeId } = await call<Begun<PublicKeyCredentialRequestOptionsJSON>>(access, '/passkeys/confirm', { rpId: access.options.rpId })
    return run({ challengeId, response: await startAuthentication({ optionsJSON: options }) })
  }
}
