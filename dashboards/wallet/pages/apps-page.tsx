import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { amountText, amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import { Badge, Button, Form } from '../../kit/controls.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { EmptyState } from '../../kit/state.tsx'
import { amountProblem, plainUnits } from '../chain/amounts.ts'
import { removePolicy, setPolicy } from '../chain/app-policies.ts'
import { contractName } from '../chain/balance-changes.ts'
import { usePolicies, useRefresh } from '../own-data.ts'
import type { AppPolicy, AssetLimit, PolicyRow } from '../types.ts'
import { PageTitle } from './layout.tsx'

interface Draft {
  readonly origin: string
  readonly flow: string
  /** One a line: type and amount. */
  readonly tokens: string
  /** One a line. */
  readonly contracts: string
  readonly other: AppPolicy['other']
}

const emptyDraft: Draft = { origin: '', flow: '', tokens: '', contracts: '', other: 'ask' }

export function AppsPage(): ReactNode {
  const { data, error, refetch } = usePolicies()
  const [draft, setDraft] = useState<Draft>(() => ({
    ...emptyDraft,
    origin: new URLSearchParams(location.search).get('app') ?? '',
  }))
  return (
    <>
      <PageTitle title="Apps" />
      <p className="soft">
        Limits apply before the wallet signs for an app. They count payments that the wallet signed, in UTC days, and
        hold in this wallet only: the chain does not know them.
      </p>
      <PolicyForm draft={draft} onChange={setDraft} />
      <section className="panel" aria-label="Apps with limits">
        <header>
          <h2>Apps with limits</h2>
        </header>
        {data === undefined && <QueryState what="your limits" error={error} refetch={refetch} />}
        {data?.length === 0 && (
          <EmptyState title="No limits yet">Add the address of an app and its amounts a day.</EmptyState>
        )}
        <ul className="rows">
          {data?.map((policy) => (
            <Policy key={policy.origin} policy={policy} onEdit={() => setDraft(draftOf(policy))} />
          ))}
        </ul>
      </section>
    </>
  )
}

function Policy({ policy, onEdit }: { readonly policy: PolicyRow; readonly onEdit: () => void }): ReactNode {
  const { origin, limits, contracts, other, spent } = policy
  const auth = useAuth()
  const reload = useRefresh()
  const { isBusy, problem, run } = useAction()
  const remove = (): void =>
    void run(async () => {
      await removePolicy(auth, origin)
      await reload()
    })
  return (
    <li>
      <span className="row-main">
        <span className="row-name wrap">{origin}</span>
        <span className="soft small wrap">
          {limits.length === 0 ? 'No payments' : limits.map(inWords).join(', ')} a day ·{' '}
          {other === 'ask' ? 'asks about other transactions' : 'refuses other transactions'}
          {contracts.length > 0 && `, code with ${contracts.map((one) => contractName(one)).join(', ')} only`}
        </span>
        {spent.map((one) => (
          <span key={`${one.network} ${one.asset}`} className="small wrap">
            {inWords(one)} signed today{' '}
            <Badge tone={one.network === 'mainnet' ? 'good' : 'warn'}>{networkNames[one.network]}</Badge>
          </span>
        ))}
      </span>
      <span className="row-actions">
        <Button isSmall disabled={isBusy} aria-label={`Edit ${origin}`} onClick={onEdit}>
          Edit
        </Button>
        <Button isSmall disabled={isBusy} aria-label={`Delete ${origin}`} onClick={remove}>
          Delete
        </Button>
      </span>
      <ProblemLine problem={problem} />
    </li>
  )
}

function inWords({ asset, units }: AssetLimit): string {
  return `${plainUnits(BigInt(units))} ${asset === 'FLOW' ? asset : contractName(asset)}`
}

function draftOf({ origin, limits, contracts, other }: AppPolicy): Draft {
  const plain = (units: string): string => amountText(BigInt(units)).replace(/\.?0+$/, '')
  return {
    origin,
    flow: limits.filter(({ asset }) => asset === 'FLOW').map(({ units }) => plain(units))[0] ?? '',
    tokens: limits
      .filter(({ asset }) => asset !== 'FLOW')
      .map(({ asset, units }) => `${asset} ${plain(units)}`)
      .join('\n'),
    contracts: contracts.join('\n'),
    other,
  }
}

/** The rule for other transactions applies to assets without an amount. */
function policyOf({ origin, flow, tokens, contracts, other }: Draft): AppPolicy | { readonly problem: string } {
  const app = URL.canParse(origin.trim()) ? new URL(origin.trim()).origin : 'null'
  if (app === 'null') return { problem: 'Enter the address of the app, such as https://app.example.com.' }
  const limits: AssetLimit[] = []
  for (const line of [flow.trim() === '' ? '' : `FLOW ${flow.trim()}`, ...linesOf(tokens)]) {
    if (line === '') continue
    const [asset = '', amount = '', ...more] = line.split(/\s+/)
    const problem = more.length > 0 ? 'Enter a type and an amount.' : amountProblem(amount, undefined)
    if (problem !== undefined) return { problem: `${line}: ${problem}` }
    limits.push({ asset, units: String(amountUnits(amount)) })
  }
  return { origin: app, limits, contracts: linesOf(contracts), other }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

interface PolicyFormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

function PolicyForm({ draft, onChange }: PolicyFormProps): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const { isBusy, problem, run } = useAction()
  const [wrong, setWrong] = useState<string>()
  const change = (part: Partial<Draft>): void => {
    setWrong(undefined)
    onChange({ ...draft, ...part })
  }
  const save = (): void => {
    const policy = policyOf(draft)
    if ('problem' in policy) return setWrong(policy.problem)
    void run(async () => {
      await setPolicy(auth, policy)
      onChange(emptyDraft)
      await reload()
    })
  }
  const text = (name: 'origin' | 'flow', label: string, placeholder: string): ReactNode => (
    <label className="field">
      <span>{label}</span>
      <input
        className="input"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={300}
        placeholder={placeholder}
        value={draft[name]}
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </label>
  )
  const area = (name: 'tokens' | 'contracts', label: string, placeholder: string): ReactNode => (
    <label className="field">
      <span>{label}</span>
      <textarea
        className="input mono"
        rows={2}
        spellCheck={false}
        maxLength={12_000}
        placeholder={placeholder}
        value={draft[name]}
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </label>
  )
  return (
    <Form className="panel send-form" onSubmit={save}>
      <h2>Limits for an app</h2>
      {text('origin', 'Address of the app', 'https://app.example.com')}
      {text('flow', 'FLOW a day', '10')}
      {area(
        'tokens',
        'Tokens a day, one a line: type or ERC-20 contract, and amount',
        'A.f1ab99c82dee3526.USDCFlow.Vault 25',
      )}
      <label className="field">
        <span>Other transactions</span>
        <select
          className="input"
          value={draft.other}
          onChange={({ target }) => change({ other: target.value === 'refuse' ? 'refuse' : 'ask' })}
        >
          <option value="ask">Ask each time</option>
          <option value="refuse">Refuse</option>
        </select>
      </label>
      {area('contracts', 'Contracts that other code may import, one a line (optional)', 'A.1654653399040a61.FlowToken')}
      <p className="soft small">
        The wallet derives amounts from payment scripts that it knows. Other code can spend any amount: it is another
        transaction.
      </p>
      <ProblemLine problem={wrong ?? problem} />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || draft.origin.trim() === ''}>
          {isBusy ? 'Saving…' : 'Save limits'}
        </Button>
      </div>
    </Form>
  )
}
