/**
 * A process that requests an account for a passkey, until it is killed. Arguments: database URL,
 * node endpoint, payer setting, the passkey as JSON.
 */
import type { KnownPasskey } from '../../../../src/wallet/passkeys/passkey-store.ts'
import { PayerAccount } from '../../../../src/wallet/provisioning/payer-account.ts'
import { PasskeyList, provision, signedIn, startProvisioning } from './provisioning-world.ts'

const [, , databaseUrl = '', endpoint = '', payer = '', passkeyText = ''] = process.argv
const passkey = JSON.parse(passkeyText) as KnownPasskey
const passkeys = new PasskeyList()
passkeys.passkeys.push(passkey)
const world = await startProvisioning(databaseUrl, endpoint, PayerAccount.parse(payer, 'WALLET_TESTNET_PAYER'), {
  passkeys,
})
await provision(world, signedIn({ id: passkey.userId }), passkey.credentialId)
// Not reached if the process is killed in time.
process.stdout.write('made\n')
