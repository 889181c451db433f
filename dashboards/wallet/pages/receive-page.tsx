import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { renderSVG } from 'uqr'
import {
  contractOfType,
  enableCollection,
  enableToken,
} from '../../../clients/signing/transactions/make-transaction.ts'
import { problemText } from '../../auth/auth-service.ts'
import { ProblemLine } from '../../auth/action.tsx'
import { Badge, Button } from '../../kit/controls.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { EmptyState, Loading } from '../../kit/state.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { itemTypeOf, vaultTypeOf } from '../chain/assets.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { useOwnAccounts } from '../own-data.ts'
import { AccountField, accountName } from './account-field.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { PageTitle } from './layout.tsx'

export function ReceivePage(): ReactNode {
  const { data: accounts, error } = useOwnAccounts()
  const [to, setTo] = useSearchValue('to')
  const account = accounts?.find((one) => accountName(one) === to) ?? accounts?.[0]
  return (
    <>
      <PageTitle title="Receive" />
      {accounts === undefined && (
        <div className="panel">
          {error === null ? <Loading label="Loading your accounts…" /> : <ProblemLine problem={problemText(error)} />}
        </div>
      )}
      {accounts?.length === 0 && (
        <div className="panel">
          <EmptyState title="No account to receive with">Create one on the Accounts page.</EmptyState>
        </div>
      )}
      {account !== undefined && (
        <>
          <section className="panel receive" aria-label="Address">
            {accounts !== undefined && accounts.length > 1 && (
              <AccountField label="Account" accounts={accounts} account={account} onChange={setTo} />
            )}
            <QrCode text={account.address} label={`QR code of ${account.address}`} />
            <p className="apart">
              <span className="address">
                <code className="wrap">{account.address}</code>
                <CopyButton text={account.address} what="address" />
              </span>
              <Badge tone={account.network === 'mainnet' ? 'good' : 'warn'}>{networkNames[account.network]}</Badge>
            </p>
            <p className="soft small">
              Send only assets of Flow on {networkNames[account.network]} to this address. It is not an address of
              Ethereum or of Flow EVM.
            </p>
          </section>
          <Enable account={account} />
        </>
      )}
    </>
  )
}

/** Dark on white in both themes: some scanners do not read inverted codes. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const svg = useMemo(() => renderSVG(text, { border: 1 }), [text])
  return <div className="qr" role="img" aria-label={label} dangerouslySetInnerHTML={{ __html: svg }} />
}

/** An account receives only assets for which it has storage. */
function Enable({ account }: { readonly account: OwnAccount }): ReactNode {
  const [kind, setKind] = useState<'token' | 'collection'>('token')
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const identifier = text.trim()
  const type = kind === 'token' ? vaultTypeOf(identifier) : itemTypeOf(identifier)
  const isGood = contractOfType(type) !== undefined
  return (
    <section className="panel" aria-label="Other tokens and NFTs">
      <header>
        <h2>Other tokens and NFTs</h2>
      </header>
      <div className="panel-text stack">
        <p className="soft">
          An account receives FLOW at once. Other tokens and NFTs need storage for their contract first. Add it once per
          contract.
        </p>
        <label className="field">
          <span>Kind</span>
          <select
            className="input"
            value={kind}
            onChange={(event) => setKind(event.target.value === 'token' ? 'token' : 'collection')}
          >
            <option value="token">Token</option>
            <option value="collection">NFT collection</option>
          </select>
        </label>
        <label className="field">
          <span>Contract</span>
          <input
            className="input mono"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={250}
            placeholder="A.b19436aae4d94622.FiatToken"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {identifier !== '' && !isGood && (
          <p className="field-error">Enter the identifier as the explorer shows it: A.address.Name.</p>
        )}
        <div className="button-row">
          <Button disabled={!isGood} onClick={() => setIsOpen(true)}>
            Add
          </Button>
        </div>
      </div>
      {isOpen && (
        <ChangeDialog
          account={account}
          done={`${account.address} can receive ${type} now.`}
          change={{
            title: kind === 'token' ? 'Receive this token?' : 'Receive NFTs of this collection?',
            text:
              `${account.address} stores an empty ${kind === 'token' ? 'vault' : 'collection'} of ${type}. ` +
              'The code of that contract runs, but cannot use what the account holds.',
            action: 'Add',
            isDangerous: false,
            code: (chain) => (kind === 'token' ? enableToken : enableCollection)(chain, { type }),
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </section>
  )
}
