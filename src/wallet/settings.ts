import { boolean, integer, list, optionalText, optionalUrl, text } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

/** Variables of the wallet: who signs in, by what passkeys, and who pays for accounts. */

const group = 'Wallet'
const mail = 'Wallet: e-mail'
const oauth = 'Wallet: sign-in with others'
const payer = 'Wallet: accounts on the chain'
const http = ['http', 'https']

export const walletSettings = {
  WALLET_PORT: integer({
    group,
    default: 3004,
    min: 0,
    max: 65_535,
    description:
      'Port of the wallet: its pages, /auth/v1 and /functions/v1/passkey-auth; 0 picks a free one and logs it.',
  }),
  WALLET_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'Where people reach the wallet; links in e-mails lead there. Without it http://localhost and WALLET_PORT.',
  }),
  WALLET_RP_ID: optionalText({
    group,
    description:
      'Relying party of the passkeys: a domain, without https and port. It cannot be changed later: passkeys ' +
      'belong to it. Default: the host of WALLET_URL. With a domain above that host, every page at or below the ' +
      'domain can ask the passkeys to sign transactions.',
  }),
  WALLET_RP_NAME: text({
    group,
    default: 'flowfarm',
    description: 'Name that browsers show when a passkey is made or asked for.',
  }),
  WALLET_ORIGINS: list({
    group,
    description:
      'Origins whose pages may use the passkeys, such as https://wallet.example.com. Each is below WALLET_RP_ID; ' +
      'https://*.example.com is all below example.com. Without it that of WALLET_URL.',
  }),
  WALLET_COOKIE_DOMAIN: optionalText({
    group,
    description: 'Domain of the session cookie, for pages on several hosts of one site. Without it the host alone.',
  }),
  WALLET_JWT_KEY: optionalText({
    group,
    secret: true,
    description:
      'Private key for access tokens: PKCS #8 (PEM) of ES256. Without it one that is made at the first start and ' +
      'kept in the database.',
  }),
  WALLET_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'What programs of yours show at /auth/v1/admin/generate_link to be given links by which people sign in, at ' +
      'least 32 characters. Whoever has it can be everybody. Without it nobody is given any.',
  }),
  WALLET_SESSION_HOURS: integer({
    group,
    default: 720,
    min: 1,
    max: 8760,
    unit: 'hours',
    description: 'Longest life of a session, however often it is renewed.',
  }),
  GOTRUE_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'An auth server of somebody else, such as GoTrue, that signs people in. Without it our own at /auth/v1.',
  }),
  GOTRUE_SERVICE_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Key of the role service_role of that auth server, by which it makes sessions for passkeys. Without it ' +
      'nobody signs in by passkey there.',
  }),

  SMTP_URL: optionalUrl({
    group: mail,
    secret: true,
    schemes: ['smtp', 'smtps'],
    description:
      'Server that sends e-mails, with name and password. Without it they are written to files in MAIL_FOLDER, ' +
      'and a line of the log names each.',
  }),
  MAIL_FROM: text({ group: mail, default: 'flowfarm <no-reply@localhost>', description: 'Sender of e-mails.' }),
  MAIL_FOLDER: text({
    group: mail,
    default: './mail',
    description: 'Folder of the e-mails where SMTP_URL is not set.',
  }),

  GITHUB_CLIENT_ID: optionalText({
    group: oauth,
    description: 'Sign-in with GitHub: the id of the application. Without it there is none.',
  }),
  GITHUB_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'Sign-in with GitHub: the secret of the application.',
  }),
  GOOGLE_CLIENT_ID: optionalText({
    group: oauth,
    description: 'Sign-in with Google: the id of the client. Without it there is none.',
  }),
  GOOGLE_CLIENT_SECRET: optionalText({
    group: oauth,
    secret: true,
    description: 'Sign-in with Google: the secret of the client.',
  }),

  WALLET_MAINNET_NODE: optionalText({
    group: payer,
    description:
      'Access node to which transactions of mainnet are sent. Without it, where the chain that is followed is ' +
      'mainnet, CHAIN_ACCESS_NODE.',
  }),
  WALLET_TESTNET_NODE: optionalText({
    group: payer,
    description:
      'Access node to which transactions of testnet are sent. Without it, where the chain that is followed is ' +
      'testnet or an emulator, CHAIN_ACCESS_NODE.',
  }),
  WALLET_MAINNET_PAYER: optionalText({
    group: payer,
    secret: true,
    description:
      'Who pays for new accounts of mainnet: <address>/<key index>/<algorithm>/<hash>/<private key in hex>, e.g. ' +
      '0x…/0/ECDSA_P256/SHA3_256/…. Several keys of one private key are written 0-9 or 0,1,2: so many accounts ' +
      'are made at once. Each has the weight 1000. Without it none are made there.',
  }),
  WALLET_TESTNET_PAYER: optionalText({ group: payer, secret: true, description: 'The same for testnet.' }),
  WALLET_TESTNET_FUNDS: integer({
    group: payer,
    default: 0,
    min: 0,
    max: 1000,
    unit: 'FLOW',
    description:
      'What the payer gives each new account of testnet, beside what an account has to have: without FLOW it can ' +
      'send nothing.',
  }),
  WALLET_PROVISION_LIMIT: integer({
    group: payer,
    default: 20,
    min: 0,
    max: 1_000_000,
    unit: 'accounts per day',
    description: 'Most accounts that are made in 24 hours on each network, since each costs the payer.',
  }),
  WALLET_PROVISION_OPEN: boolean({
    group: payer,
    default: true,
    description: 'Make accounts for whoever has signed in. Off: only for users whose app_metadata has the role wallet.',
  }),
} satisfies Record<string, Setting<unknown>>

/** The networks on which a passkey has accounts. */
export const walletNetworks = ['mainnet', 'testnet'] as const
export type WalletNetwork = (typeof walletNetworks)[number]

export function isWalletNetwork(text: unknown): text is WalletNetwork {
  return typeof text === 'string' && (walletNetworks as readonly string[]).includes(text)
}
