import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { amountText } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { navigate, useSearchValue } from '../../kit/router.ts'
import { Button } from '../../kit/button.tsx'
import { Loading, NothingHere } from '../../kit/state.tsx'
import { amountProblem, mostToSend, plainAmount } from '../chain/amounts.ts'
import { chainOfAddress, isAddressOf, readAddress } from '../chain/address-code.ts'
import { readHead } from '../chain/chain-client.ts'
import type { OwnAccount } from '../chain/send-transaction.ts'
import { useChainAccount, useOwnAccounts } from '../own.ts'
import { PageTitle } from '../parts/page-title.tsx'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { SendReview } from '../parts/send-review.tsx'
import type { Payment } from '../parts/send-review.tsx'
import { problemText } from '../../auth/problem.ts'
import { networkNames } from '../settings.ts'

const nameOf = ({ network, address }: OwnAccount): string => `${network}:${address}`

/** Sends FLOW of one account to another: first what and where, then all of it again to be confirmed. */
export function SendPage(): ReactNode {
  const { data: accounts, error } = useOwnAccounts()
  return (
    <>
      <PageTitle title="Send FLOW" />
      {accounts === undefined && (
        <div className="panel">
          {error === null ? <Loading label="Your accounts load" /> : <ProblemLine problem={problemText(error)} />}
        </div>
      )}
      {accounts?.length === 0 && (
        <div className="panel">
          <NothingHere title="You have no account to send from">Make one on the page of accounts.</NothingHere>
        </div>
      )}
      {accounts !== undefined && accounts.length > 0 && <SendForm accounts={accounts} />}
    </>
  )
}

function SendForm({ accounts }: { readonly accounts: readonly OwnAccount[] }): ReactNode {
  const [from, setFrom] = useSearchValue('from')
  const account = accounts.find((one) => nameOf(one) === from) ?? accounts[0]
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [wasTried, setWasTried] = useState(false)
  const [payment, setPayment] = useState<Payment>()
  const toField = useRef<HTMLInputElement>(null)
  const amountField = useRef<HTMLInputElement>(null)
  const network = account?.network ?? 'testnet'
  const { data: state } = useChainAccount(network, account?.address)
  const { data: head, error: headError } = useQuery({
    queryKey: ['head', network],
    queryFn: ({ signal }) => readHead(network, signal),
    staleTime: 60_000,
  })
  if (account === undefined) return null

  const address = readAddress(to)
  const toProblem = recipientProblem(address, account, head?.chain)
  const sumProblem = amountProblem(amount, state?.balance)
  const review = (): void => {
    setWasTried(true)
    if (toProblem !== undefined) toField.current?.focus()
    else if (sumProblem !== undefined) amountField.current?.focus()
    else if (address !== undefined && head !== undefined)
      setPayment({ account, to: address, amount, chain: head.chain })
  }
  const startAgain = (): void => {
    setPayment(undefined)
    setTo('')
    setAmount('')
    setWasTried(false)
  }
  if (payment !== undefined)
    return (
      <SendReview
        payment={payment}
        onBack={() => setPayment(undefined)}
        onAgain={startAgain}
        onEnd={() => navigate('/')}
      />
    )
  return (
    <form
      className="panel send-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        review()
      }}
    >
      <label className="field">
        <span>From</span>
        <select className="input" value={nameOf(account)} onChange={(event) => setFrom(event.target.value)}>
          {accounts.map((one) => (
            <option key={nameOf(one)} value={nameOf(one)}>
              {networkNames[one.network]} · {one.address}
            </option>
          ))}
        </select>
      </label>
      <div className="field">
        <label htmlFor="send-to">To</label>
        <input
          ref={toField}
          id="send-to"
          className="input mono"
          value={to}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="0x"
          maxLength={40}
          aria-invalid={wasTried && toProblem !== undefined}
          aria-describedby="send-to-problem"
          onChange={(event) => setTo(event.target.value)}
        />
        <p id="send-to-problem" className="field-error" role="status">
          {wasTried || address !== undefined ? toProblem : undefined}
        </p>
      </div>
      <div className="field">
        <label htmlFor="send-amount">Amount in FLOW</label>
        <div className="with-button">
          <input
            ref={amountField}
            id="send-amount"
            className="input"
            inputMode="decimal"
            value={amount}
            autoComplete="off"
            placeholder="0.0"
            maxLength={24}
            aria-invalid={wasTried && sumProblem !== undefined}
            aria-describedby="send-amount-problem"
            onChange={(event) => setAmount(event.target.value.trim())}
          />
          <Button
            disabled={state === undefined}
            onClick={() =>
              setAmount(state === undefined ? '' : amountText(mostToSend(state.balance)).replace(/\.?0+$/, '') || '0')
            }
          >
            All
          </Button>
        </div>
        <p className="soft small">
          {state === undefined
            ? 'The balance is not known yet.'
            : `The account has ${plainAmount(state.balance)} FLOW.`}
        </p>
        <p id="send-amount-problem" className="field-error" role="status">
          {wasTried || amount !== '' ? sumProblem : undefined}
        </p>
      </div>
      <ProblemLine problem={headError === null ? undefined : problemText(headError)} />
      <Button type="submit" look="strong" disabled={head === undefined}>
        Look over it
      </Button>
    </form>
  )
}

function recipientProblem(
  address: string | undefined,
  account: OwnAccount,
  chain: FlowChain | undefined,
): string | undefined {
  if (address === undefined) return 'Paste the whole address: 0x and 16 hex digits.'
  if (address === account.address) return 'That is the account from which you send.'
  if (chain === undefined || isAddressOf(address, chain)) return undefined
  const other = chainOfAddress(address)
  return other === undefined
    ? 'No account can have this address: a digit of it is wrong.'
    : `This is an address of ${other}, and the account from which you send is on ${chain}.`
}
