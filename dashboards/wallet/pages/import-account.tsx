import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { addKey } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { ApiProblem } from '../../kit/api.ts'
import { useAuth } from '../../auth/auth-provider.tsx'
import { Button, Form } from '../../kit/controls.tsx'
import { CopyButton, useToast } from '../../kit/toast.tsx'
import { chainOfAddress, isAddressOf, readAddress } from '../chain/amounts.ts'
import { readAccount, readHead } from '../chain/chain-client.ts'
import type { NetworkSettings } from '../answers.gen.ts'
import type { Network, PasskeyRow } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useOwnAccounts, useRefresh } from '../own-data.ts'
import { findImportKey, passkeyName } from '../chain/passkey-keys.ts'
import type { ImportFinding } from '../chain/passkey-keys.ts'
import { saveAccount } from '../chain/passkeys.ts'

interface ImportAccountProps {
  readonly networks: readonly NetworkSettings[]
  readonly passkeys: readonly PasskeyRow[]
  readonly onClose: () => void
}

interface Lookup {
  readonly network: Network
  readonly chain: FlowChain
  readonly address: string
  readonly finding: Exclude<ImportFinding<PasskeyRow>, { readonly kind: 'key' }>
}

export function ImportAccount({ networks, passkeys, onClose }: ImportAccountProps): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const showToast = useToast()
  const { data: own } = useOwnAccounts()
  const { isBusy, problem, run, clear } = useAction()
  const [network, setNetwork] = useState<Network>(networks[0]?.network ?? 'testnet')
  const [text, setText] = useState('')
  const [lookup, setLookup] = useState<Lookup>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const look = (): void =>
    void run(async () => {
      setLookup(undefined)
      const address = readAddress(text)
      if (address === undefined)
        throw new ApiProblem(400, 'bad-address', 'Enter the full address: 0x and 16 hex digits.')
      const { chain } = await readHead(network)
      if (!isAddressOf(address, chain)) throw new ApiProblem(400, 'bad-address', otherChain(address, chain))
      if (own?.some((one) => one.network === network && one.address === address) === true)
        throw new ApiProblem(409, 'known', 'This account is already in your wallet.')
      const finding = findImportKey(await readAccount(network, address), passkeys)
      if (finding.kind !== 'key') return setLookup({ network, chain, address, finding })
      await saveAccount(auth, { credentialId: finding.passkey.id, network, address })
      await reload()
      showToast('Account imported.')
      onClose()
      return undefined
    })
  return (
    <section className="panel send-form" aria-labelledby="import-title">
      <h2 id="import-title">Import account</h2>
      <Form className="stack" noValidate onSubmit={look}>
        {networks.length > 1 && (
          <label className="field">
            <span>Network</span>
            <select className="input" value={network} onChange={(event) => setNetwork(event.target.value as Network)}>
              {networks.map((one) => (
                <option key={one.network} value={one.network}>
                  {networkNames[one.network]}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="field">
          <span>Address</span>
          <input
            ref={field}
            className="input mono"
            value={text}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="0x"
            maxLength={40}
            onChange={(event) => {
              clear()
              setLookup(undefined)
              setText(event.target.value)
            }}
          />
        </label>
        <ProblemLine problem={problem} />
        {lookup !== undefined && <Instructions lookup={lookup} passkeys={passkeys} />}
        <div className="button-row">
          <Button type="submit" look="strong" disabled={isBusy || text.trim() === ''}>
            {isBusy ? 'Checking…' : lookup === undefined ? 'Find account' : 'Check again'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </section>
  )
}

function otherChain(address: string, chain: FlowChain): string {
  const other = chainOfAddress(address)
  return other === undefined
    ? 'Invalid address: a digit is wrong.'
    : `This is an address of ${other}. The selected network is ${chain}.`
}

const reasons = {
  revoked: 'was a key of this account and is revoked. Add it again as a new key.',
  weight:
    'is a key of this account but cannot sign alone: its weight is less than 1000. Add the key again with ' +
    'weight 1000.',
  algorithm:
    'is a key of this account, but with algorithms that passkeys do not support. Add the key again with those ' +
    'below.',
} as const

function Instructions({
  lookup: { network, chain, address, finding },
  passkeys,
}: {
  readonly lookup: Lookup
  readonly passkeys: readonly PasskeyRow[]
}): ReactNode {
  const [id, setId] = useState(finding.kind === 'bad-key' ? finding.passkey.id : passkeys[0]?.id)
  const passkey = passkeys.find((one) => one.id === id) ?? passkeys[0]
  if (passkey === undefined)
    return <p className="banner">Create a passkey first. It must become a key of the account.</p>
  const publicKey = passkey.publicKeySec1Hex.replace(/^04/, '')
  const { script, arguments: given } = addKey(chain, { publicKey })
  const command =
    `flow transactions send add-key.cdc --args-json '[${given.join(',')}]' --network ${chain} --signer <your ` +
    'account>'
  return (
    <div className="stack" role="status">
      <p className="banner">
        <span>
          {finding.kind === 'no-key' ? (
            <>
              None of your passkeys is a key of <code>{address}</code> on {networkNames[network]} yet.
            </>
          ) : (
            <>
              {passkeyName(finding.passkey)} {reasons[finding.why]}
            </>
          )}
        </span>
      </p>
      <p>Add this key to the account with its current wallet or the Flow CLI. Then check again.</p>
      {passkeys.length > 1 && (
        <label className="field">
          <span>Passkey</span>
          <select className="input" value={passkey.id} onChange={(event) => setId(event.target.value)}>
            {passkeys.map((one) => (
              <option key={one.id} value={one.id}>
                {passkeyName(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <dl className="facts">
        <dt>Public key</dt>
        <dd>
          <code className="wrap small">{publicKey}</code> <CopyButton text={publicKey} what="public key" />
        </dd>
        <dt>Signature</dt>
        <dd>ECDSA_P256</dd>
        <dt>Hash</dt>
        <dd>SHA2_256</dd>
        <dt>Weight</dt>
        <dd>1000</dd>
      </dl>
      <details className="small">
        <summary>With the Flow CLI</summary>
        <ol className="plain-steps">
          <li>
            Save this as <code>add-key.cdc</code> <CopyButton text={script} what="transaction" />
            <pre className="code-block" tabIndex={0}>
              <code>{script}</code>
            </pre>
          </li>
          <li>
            Run this with the name that your account has in <code>flow.json</code>{' '}
            <CopyButton text={command} what="command" />
            <pre className="code-block" tabIndex={0}>
              <code>{command}</code>
            </pre>
          </li>
        </ol>
      </details>
    </div>
  )
}
