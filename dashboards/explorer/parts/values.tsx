import type { ReactNode, CSSProperties } from 'react'
import { useState } from 'react'
import { ExactAmount } from '../../kit/amount.tsx'
import { Badge, Icon } from '../../kit/controls.tsx'
import { formatNumber, formatTime } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { Ago } from '../../kit/time.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { pictureSources, readGateways, identiconOf, identiconSize } from '../picture-sources.ts'
import {
  paths,
  contractNameOf,
  sanitizeName,
  shorten,
  initialOf,
  formatAmount,
  formatFraction,
  contractOf,
} from '../text.ts'

interface IdentityProps {
  readonly id: string
  readonly to?: string
  readonly what: string
  readonly isWhole?: boolean
  readonly hasCopy?: boolean
}

export function Identity({ id, to, what, isWhole = false, hasCopy = false }: IdentityProps): ReactNode {
  const text = isWhole ? id : shorten(id)
  return (
    <span className={isWhole ? 'identity whole' : 'identity'}>
      {to === undefined ? (
        <code title={id}>{text}</code>
      ) : (
        <Link to={to} title={id} aria-label={isWhole ? undefined : `${what} ${text}`}>
          <code>{text}</code>
        </Link>
      )}
      {hasCopy && <CopyButton text={id} what={what} />}
    </span>
  )
}

export function NoValue(): ReactNode {
  return <span className="soft">–</span>
}

type LinkOptions = Pick<IdentityProps, 'isWhole' | 'hasCopy'>

/** Payer and proposer of system transactions. */
const zeroAddress = /^0x0{16}$/

export function AccountLink({ address, ...rest }: LinkOptions & { readonly address: string }): ReactNode {
  const full = address.startsWith('0x') ? address : `0x${address}`
  if (zeroAddress.test(full)) return <span className="soft">System</span>
  return (
    <Identity id={full} to={full.length > 18 ? paths.evmAddress(full) : paths.account(full)} what="Account" {...rest} />
  )
}

export function OptionalAccountLink({
  address,
  ...rest
}: LinkOptions & { readonly address: string | null }): ReactNode {
  return address === null ? <NoValue /> : <AccountLink address={address} {...rest} />
}

interface TransactionLinkProps extends LinkOptions {
  readonly id: string
  /** System transactions have the same ID in several blocks. */
  readonly height: number | null
}

export function TransactionLink({ id, height, ...rest }: TransactionLinkProps): ReactNode {
  return <Identity id={id} to={paths.transaction(id, height)} what="Transaction" {...rest} />
}

export function EvmTransactionLink({ hash, ...rest }: LinkOptions & { readonly hash: string }): ReactNode {
  return <Identity id={hash} to={paths.evmTransaction(hash)} what="EVM transaction" {...rest} />
}

export function BlockLink({ height }: { readonly height: number }): ReactNode {
  return <Link to={paths.block(height)}>{formatNumber(height)}</Link>
}

export function EvmBlockLink({ number }: { readonly number: number }): ReactNode {
  return <Link to={paths.evmBlock(number)}>{formatNumber(number)}</Link>
}

export function ContractLink({ identifier }: { readonly identifier: string }): ReactNode {
  return (
    <Link to={paths.contract(identifier)} title={identifier}>
      {contractNameOf(identifier)}
    </Link>
  )
}

export function EvmPartyLink({
  party,
  ...rest
}: LinkOptions & {
  readonly party: { readonly hash: string; readonly name: string | null } | null
}): ReactNode {
  if (party === null) return <NoValue />
  if (party.name === null) return <AccountLink address={party.hash} {...rest} />
  return (
    <Link to={paths.evmAddress(party.hash)} title={party.hash}>
      {sanitizeName(party.name)}
    </Link>
  )
}

interface TokenNameProps {
  readonly id: string
  readonly token: { readonly name: string; readonly symbol: string | null; readonly logo: string | null }
  readonly children?: ReactNode
}

export function TokenName({ id, token, children }: TokenNameProps): ReactNode {
  return (
    <span className="token-name">
      <Picture source={token.logo} alt="" size={22} seed={id} letter={initialOf(token.symbol ?? token.name)} />
      <Link to={paths.token(id)} title={id}>
        {sanitizeName(token.name)}
      </Link>
      {token.symbol !== null && token.symbol !== token.name && (
        <span className="soft">{sanitizeName(token.symbol)}</span>
      )}
      {children}
    </span>
  )
}

interface AmountProps {
  /** Exact decimal; null if unknown. */
  readonly amount: string | null
  readonly unit?: string
  readonly decimals?: number
}

export function Amount({ amount, unit, decimals }: AmountProps): ReactNode {
  if (amount === null) return <NoValue />
  return <ExactAmount amount={formatAmount(amount)} unit={unit} decimals={decimals} />
}

/** With `+` or `−`. */
export function SignedAmount({ amount, unit }: { readonly amount: string; readonly unit?: string }): ReactNode {
  const isLoss = amount.startsWith('-')
  return (
    <span className={isLoss ? 'decrease' : 'increase'}>
      <ExactAmount amount={`${isLoss ? '−' : '+'}${formatAmount(amount).replace('-', '')}`} unit={unit} />
    </span>
  )
}

interface AlgorithmsProps {
  readonly signing: string | null
  readonly hashing: string | null
}

export function Algorithms({ signing, hashing }: AlgorithmsProps): ReactNode {
  return (
    <span>
      {signing ?? <NoValue />} <span className="soft">with {hashing ?? 'unknown hash'}</span>
    </span>
  )
}

export function KeyStatus({ isRevoked }: { readonly isRevoked: boolean }): ReactNode {
  return isRevoked ? <Badge tone="bad">Revoked</Badge> : <Badge tone="good">Valid</Badge>
}

export function Moment({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return <span className="soft">Unknown</span>
  return (
    <>
      {formatTime(at)}{' '}
      <span className="soft nowrap">
        (<Ago at={at} />)
      </span>
    </>
  )
}

/** Untrusted: http(s) only, without a referrer. */
export function ExternalLink({ to }: { readonly to: string }): ReactNode {
  const isWeb = URL.canParse(to) && ['https:', 'http:'].includes(new URL(to).protocol)
  if (!isWeb) return <span className="wrap">{to}</span>
  return (
    <a className="external-link" href={to} target="_blank" rel="noreferrer noopener nofollow ugc">
      {to} <Icon name="external" size={13} />
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}

/** From 0 to 1; null if unknown. */
export function Share({ part }: { readonly part: number | null }): ReactNode {
  if (part === null) return <NoValue />
  return (
    <span className="share">
      {formatFraction(part)}
      <span className="share-bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, part * 100)}%` }} />
      </span>
    </span>
  )
}

const openDepth = 2
const maxTextLength = 160

export function ValueTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }): ReactNode {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} />
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value)
  if (entries.length === 0) return <span className="soft">{Array.isArray(value) ? 'empty list' : 'empty'}</span>
  const list = (
    <dl className="tree">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ValueTree value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
  if (depth < openDepth && entries.length <= 16) return list
  return (
    <details open={depth === 0 && entries.length <= 40}>
      <summary>{entries.length} values</summary>
      {list}
    </details>
  )
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (value === null || value === undefined) return <span className="soft">none</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/^0x[0-9a-f]{16}$/.test(text) || /^0x[0-9a-f]{40}$/i.test(text)) return <AccountLink address={text} isWhole />
  if (/^A\.[0-9a-f]{16}\.\w+/.test(text)) {
    const contract = contractOf(text)
    return (
      <span className="wrap">
        <ContractLink identifier={contract} />
        <span className="soft">{text.slice(contract.length)}</span>
      </span>
    )
  }
  if (/^(0x)?[0-9a-f]{64,}$/i.test(text)) return <Identity id={text} what="value" hasCopy isWhole={text.length <= 66} />
  if (text.length > maxTextLength) {
    return (
      <details>
        <summary className="wrap">{text.slice(0, maxTextLength)}…</summary>
        <span className="wrap">{text}</span>
      </details>
    )
  }
  return <span className="wrap value">{text === '' ? <span className="soft">empty string</span> : text}</span>
}

const gateways = readGateways(document)

interface PictureProps {
  readonly source: string | null
  readonly alt: string
  readonly size: number | 'fill'
  readonly seed: string
  readonly letter?: string | undefined
  readonly hasNote?: boolean
}

/** Untrusted: loaded lazily and without a referrer, from each source in turn; else an identicon. */
export function Picture({ source, alt, size, seed, letter, hasNote = false }: PictureProps): ReactNode {
  // Reset when React reuses the component for another source.
  const [failed, setFailed] = useState({ source, count: 0 })
  const count = failed.source === source ? failed.count : 0
  const url = pictureSources(source, gateways)[count]
  const style = size === 'fill' ? undefined : { width: size, height: size }
  const className = size === 'fill' ? 'picture fill' : 'picture'
  if (url === undefined) {
    return (
      <>
        <span
          className={`${className} none`}
          style={style}
          role={alt === '' ? undefined : 'img'}
          aria-label={alt === '' ? undefined : `${alt}: no picture`}
        >
          <Identicon seed={seed} letter={letter} />
        </span>
        {hasNote && (
          <span className="note">
            {source === null ? 'No picture available.' : 'Could not load the picture.'} This pattern is generated from
            the ID.
          </span>
        )}
      </>
    )
  }
  return (
    <img
      key={url}
      className={className}
      style={style}
      src={url}
      alt={alt}
      width={size === 'fill' ? 240 : size}
      height={size === 'fill' ? 240 : size}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed({ source, count: count + 1 })}
    />
  )
}

const cellSize = 10
const margin = 15

function Identicon({ seed, letter }: Pick<PictureProps, 'seed' | 'letter'>): ReactNode {
  const { hue, cells } = identiconOf(seed)
  const size = identiconSize * cellSize + 2 * margin
  return (
    <svg
      className="identicon"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      style={{ '--hue': hue } as CSSProperties}
      aria-hidden="true"
    >
      <rect width={size} height={size} />
      {letter === undefined ? (
        cells.map(([column, row]) => (
          <rect
            key={`${column} ${row}`}
            className="cell"
            x={margin + column * cellSize}
            y={margin + row * cellSize}
            width={cellSize}
            height={cellSize}
          />
        ))
      ) : (
        <text x={size / 2} y={size / 2} dy=".36em" textAnchor="middle">
          {letter}
        </text>
      )}
    </svg>
  )
}
