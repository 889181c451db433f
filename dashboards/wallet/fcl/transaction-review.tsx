import { useState } from 'react'
import type { ReactNode } from 'react'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { Badge, Icon } from '../../kit/controls.tsx'
import { readCadenceTokens } from '../../kit/code-tokens.ts'
import { CodeView, Tokens } from '../../kit/code.tsx'
import { plainUnits } from '../chain/amounts.ts'
import { balanceChanges } from '../chain/balance-changes.ts'
import type { Network } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { EstimatedChanges } from '../pages/estimated-changes.tsx'
import { visibleText } from './readable.ts'
import type { AuthorizedAccount, NamedValue, TransactionSummary } from './transaction-summary.ts'

interface TransactionReviewProps {
  readonly summary: TransactionSummary
  readonly transaction: FlowTransaction
  readonly own: string
  readonly network: Network
}

export function TransactionReview({ summary, transaction, own, network }: TransactionReviewProps): ReactNode {
  const { known, accounts, values, imports, warnings, isPayer, payer, isProposer, proposer, computeLimit } = summary
  const [from] = accounts
  const isAddressShown = known?.name === 'send-flow' && from?.isOwn === true
  return (
    <>
      {warnings.length > 0 && (
        <div className="banner bad fcl-warnings" role="alert">
          <Icon name="alert" size={20} />
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      {known !== undefined && <KnownSummary known={known} from={from?.address ?? own} own={own} />}
      {known !== undefined && from?.isOwn === true && <EstimatedChanges known={known} isPayer={isPayer} />}
      {known?.name !== 'send-flow' && accounts.map((account, at) => <Rights key={at} account={account} />)}
      {accounts.every(({ isOwn }) => !isOwn) && (
        <p>The code has no access to your account: {isPayer ? 'it only pays the fee.' : 'it is only the proposer.'}</p>
      )}
      {known === undefined && values.length > 0 && <Values values={values} own={own} />}
      <dl className="facts">
        <dt>{isAddressShown ? 'Network' : 'Your account'}</dt>
        <dd>
          {!isAddressShown && (
            <>
              <code className="wrap">{own}</code>{' '}
            </>
          )}
          <Badge tone={network === 'mainnet' ? 'good' : 'warn'}>{networkNames[network]}</Badge>
        </dd>
        <dt>Fee</dt>
        <dd>
          {isPayer ? (
            'paid by you'
          ) : (
            <>
              paid by <code className="wrap">{payer}</code>
            </>
          )}
          <span className="soft">, computation limit {computeLimit}</span>
        </dd>
        {!isProposer && (
          <>
            <dt>Proposed by</dt>
            <dd>
              <code className="wrap">{proposer}</code>
            </dd>
          </>
        )}
        {known === undefined && imports.length > 0 && (
          <>
            <dt>Contracts</dt>
            <dd>
              {imports.map(({ names, from: place }, at) => (
                <span key={at} className="fcl-import wrap">
                  {names.join(', ')} {place !== undefined && <code className="soft">{visibleText(place)}</code>}
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      <CodeDisclosure code={transaction.script} values={transaction.arguments} />
    </>
  )
}

function KnownSummary({
  known,
  from,
  own,
}: {
  readonly known: KnownTransaction
  readonly from: string
  readonly own: string
}): ReactNode {
  switch (known.name) {
    case 'send-flow':
      return (
        <>
          <p className="sum">
            <b>{plainUnits(known.amount)}</b> FLOW
          </p>
          <dl className="facts">
            <dt>To</dt>
            <dd>
              <Address address={known.to} own={own} />
            </dd>
            <dt>From</dt>
            <dd>
              <Address address={from} own={own} />
            </dd>
          </dl>
        </>
      )
    case 'create-account':
      return (
        <p>
          Creates an account
          {known.startBalance > 0n ? ` with ${plainUnits(known.startBalance)} FLOW` : ''}, paid by{' '}
          <Address address={from} own={own} />.
        </p>
      )
    case 'add-key':
      return (
        <p>
          Adds a key of weight {plainUnits(known.key.weight)} to <Address address={from} own={own} />:{' '}
          <code className="wrap">{known.key.publicKey}</code>
        </p>
      )
    case 'revoke-key':
      return (
        <p>
          Revokes key {known.keyIndex} of <Address address={from} own={own} /> permanently.
        </p>
      )
    case 'add-contract':
    case 'update-contract':
      return (
        <>
          <p>
            {known.name === 'add-contract' ? 'Deploys' : 'Updates'} the contract <b>{known.contract}</b> of{' '}
            <Address address={from} own={own} />.
          </p>
          <details>
            <summary>Code of the contract</summary>
            <CodeView code={visibleText(known.code)} label="the contract" />
          </details>
        </>
      )
    case 'send-token':
    case 'send-nft':
    case 'send-flow-to-evm':
    case 'send-erc20':
      return (
        <p className="wrap">
          Sends {balanceChanges(known).map(({ text }) => text)} from{' '}
          {known.name === 'send-erc20' && 'the EVM account of '}
          <Address address={from} own={own} /> to <Address address={known.to} own={own} />.{' '}
          {'type' in known && <code className="soft wrap">{known.type}</code>}
        </p>
      )
    case 'fund-evm-account':
    case 'withdraw-evm-account':
      return (
        <p>
          Moves {plainUnits(known.amount)} FLOW
          {known.name === 'fund-evm-account' ? ' to ' : ' from '}
          the EVM account of <Address address={from} own={own} />.
        </p>
      )
    case 'create-evm-account':
      return (
        <p>
          Creates an EVM account of <Address address={from} own={own} />.
        </p>
      )
    case 'enable-token':
    case 'enable-collection':
      return (
        <p>
          Lets <Address address={from} own={own} /> receive {known.name === 'enable-token' ? 'tokens' : 'NFTs'} of{' '}
          <code className="wrap">{known.type}</code>.
        </p>
      )
  }
}

function Address({ address, own }: { readonly address: string; readonly own: string }): ReactNode {
  return (
    <>
      <code className="wrap">{address}</code>
      {address === own && <span className="soft"> your account</span>}
    </>
  )
}

function Rights({ account: { address, isOwn, rights } }: { readonly account: AuthorizedAccount }): ReactNode {
  if (rights === undefined && isOwn) return null
  const who = isOwn ? 'your account' : address
  return (
    <section className="fcl-rights" aria-label={`Permissions of the code for ${who}`}>
      <h2>
        {isOwn ? (
          'The code can'
        ) : (
          <>
            Also signed by <code className="wrap">{address}</code>
          </>
        )}
      </h2>
      {isOwn && rights?.length === 0 && <p>read public data of your account, and change nothing.</p>}
      {isOwn && (
        <ul>
          {rights?.map(({ name, description, weight }, at) => (
            <li key={at} className={weight}>
              <Icon name={weight === 'plain' ? 'check' : 'alert'} />
              <span>
                {description} <code className="soft">{name}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const maxUnscrolled = 100

function Values({ values, own }: { readonly values: readonly NamedValue[]; readonly own: string }): ReactNode {
  return (
    <section className="fcl-values" aria-label="Arguments">
      <h2>Arguments</h2>
      <dl>
        {values.map(({ name, type, text }, at) => (
          <div key={at}>
            <dt>
              {name ?? `Argument ${at + 1}`} <span className="soft">{type}</span>
            </dt>
            {/* Focusable, so that long values scroll with the keyboard. */}
            <dd {...(text.length > maxUnscrolled ? { tabIndex: 0 } : {})}>
              <code className="wrap">{text}</code>
              {text === own && <span className="soft"> your account</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const maxColoured = 100_000

function CodeDisclosure({ code, values }: { readonly code: string; readonly values: readonly string[] }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const shown = visibleText(code.replaceAll('\r\n', '\n'))
  return (
    <details className="fcl-code" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} /> Show the code
      </summary>
      {isOpen && (
        <>
          <pre tabIndex={0} aria-label="Cadence">
            <code>{shown.length > maxColoured ? shown : <Tokens tokens={readCadenceTokens(shown)} />}</code>
          </pre>
          {values.length > 0 && (
            <pre tabIndex={0} aria-label="Signed arguments">
              <code>{values.map(visibleText).join('\n')}</code>
            </pre>
          )}
        </>
      )}
    </details>
  )
}
