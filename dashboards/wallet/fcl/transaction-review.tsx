import { useState } from 'react'
import type { ReactNode } from 'react'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { Badge, Icon } from '../../kit/controls.tsx'
import { readCadenceTokens } from '../../kit/code-tokens.ts'
import { Tokens } from '../../kit/code.tsx'
import { plainUnits } from '../chain/amounts.ts'
import type { Network } from '../contract.ts'
import { networkNames } from '../own.ts'
import { visibleText } from './readable.ts'
import type { AuthorizedAccount, NamedValue, TransactionSummary } from './transaction-summary.ts'

interface TransactionReviewProps {
  readonly summary: TransactionSummary
  readonly transaction: FlowTransaction
  readonly own: string
  readonly network: Network
}

/** What a transaction does, as far as it can be told, with what is worst about it first. */
export function TransactionReview({ summary, transaction, own, network }: TransactionReviewProps): ReactNode {
  const { known, accounts, values, imports, warnings, isPayer, payer, isProposer, proposer, computeLimit } = summary
  const [from] = accounts
  // Whose FLOW it is stands above already.
  const isTold = known?.name === 'send-flow' && from?.isOwn === true
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
      {known !== undefined && <KnownWords known={known} from={from?.address ?? own} own={own} />}
      {known?.name !== 'send-flow' && accounts.map((account, at) => <Rights key={at} account={account} />)}
      {accounts.every(({ isOwn }) => !isOwn) && (
        <p>
          The code gets nothing of your account:{' '}
          {isPayer ? 'you pay the fee for somebody else.' : 'you only name it as the proposer.'}
        </p>
      )}
      {known === undefined && values.length > 0 && <Values values={values} own={own} />}
      <dl className="facts">
        <dt>{isTold ? 'Network' : 'Your account'}</dt>
        <dd>
          {!isTold && (
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

function KnownWords({
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
          It makes a new account{known.startBalance > 0n ? ` and gives it ${plainUnits(known.startBalance)} FLOW` : ''},
          paid by <Address address={from} own={own} />.
        </p>
      )
    case 'add-key':
      return (
        <p>
          It adds a key of weight {plainUnits(known.key.weight)} to <Address address={from} own={own} />:{' '}
          <code className="wrap">{known.key.publicKey}</code>
        </p>
      )
    case 'revoke-key':
      return (
        <p>
          It takes key {known.keyIndex} from <Address address={from} own={own} /> for good.
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
    <section className="fcl-rights" aria-label={`What the code may do with ${who}`}>
      <h2>
        {isOwn ? (
          'With your account its code can'
        ) : (
          <>
            Also signed by <code className="wrap">{address}</code>
          </>
        )}
      </h2>
      {isOwn && rights?.length === 0 && <p>look at what everybody can see, and change nothing.</p>}
      {isOwn && (
        <ul>
          {rights?.map(({ name, words, weight }, at) => (
            <li key={at} className={weight}>
              <Icon name={weight === 'plain' ? 'check' : 'alert'} />
              <span>
                {words} <code className="soft">{name}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** So many characters have room in the narrowest window. */
const maxUnscrolled = 100

function Values({ values, own }: { readonly values: readonly NamedValue[]; readonly own: string }): ReactNode {
  return (
    <section className="fcl-values" aria-label="Arguments">
      <h2>It is given</h2>
      <dl>
        {values.map(({ name, type, text }, at) => (
          <div key={at}>
            <dt>
              {name ?? `Argument ${at + 1}`} <span className="soft">{type}</span>
            </dt>
            {/* Long ones scroll, which has to be possible without a mouse too. */}
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

/** Longer code is shown without colours: a window would stand still over it. */
const maxColoured = 100_000

/** The code of a transaction, for those who want to see it; what cannot be seen in it is written out. */
function CodeDisclosure({ code, values }: { readonly code: string; readonly values: readonly string[] }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const shown = visibleText(code.replaceAll('\r\n', '\n'))
  return (
    <details className="fcl-code" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} /> The code, all of it
      </summary>
      {isOpen && (
        <>
          <pre tabIndex={0} aria-label="Cadence">
            <code>{shown.length > maxColoured ? shown : <Tokens tokens={readCadenceTokens(shown)} />}</code>
          </pre>
          {values.length > 0 && (
            <pre tabIndex={0} aria-label="Arguments as they are signed">
              <code>{values.map(visibleText).join('\n')}</code>
            </pre>
          )}
        </>
      )}
    </details>
  )
}
