import type { ReactNode, CSSProperties } from 'react'
import { useState } from 'react'
import { CopyButton } from '../../kit/toast.tsx'
import { formatNumber, formatTime } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import {
  paths,
  contractNameOf,
  sanitizeName,
  shorten,
  initialOf,
  cutAmount,
  formatAmount,
  formatPart,
  contractOf,
} from '../text.ts'
import { Ago } from '../../kit/time.tsx'
import { Icon } from '../../kit/controls.tsx'
import { pictureSources, readGateways, signOf, signSize } from '../picture-sources.ts'

interface IdentityProps {
  readonly id: string
  readonly to?: string
  /** What the id is of: `account`, `transaction`. */
  readonly what: string
  readonly isWhole?: boolean
  readonly hasCopy?: boolean
}

/** A long id: shortened, whole on hover and for who copies it. */
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

type Reference = Pick<IdentityProps, 'isWhole' | 'hasCopy'>

/** In place of who pays and proposes what the chain does by itself. */
const zeroAddress = /^0x0{16}$/

export function AccountLink({ address, ...rest }: Reference & { readonly address: string }): ReactNode {
  const full = address.startsWith('0x') ? address : `0x${address}`
  if (zeroAddress.test(full)) return <span className="soft">the chain itself</span>
  return (
    <Identity id={full} to={full.length > 18 ? paths.evmAddress(full) : paths.account(full)} what="Account" {...rest} />
  )
}

interface TransactionReference extends Reference {
  readonly id: string
  /** Height of its block. */
  readonly height: number | null
}

export function TransactionLink({ id, height, ...rest }: TransactionReference): ReactNode {
  return <Identity id={id} to={paths.transaction(id, height)} what="Transaction" {...rest} />
}

export function EvmTransactionLink({ hash, ...rest }: Reference & { readonly hash: string }): ReactNode {
  return <Identity id={hash} to={paths.evmTransaction(hash)} what="EVM transaction" {...rest} />
}

export function BlockLink({ height }: { readonly height: number }): ReactNode {
  return <Link to={paths.block(height)}>{formatNumber(height)}</Link>
}

/** A contract by its name; its identifier on hover. */
export function ContractLink({ identifier }: { readonly identifier: string }): ReactNode {
  return (
    <Link to={paths.contract(identifier)} title={identifier}>
      {contractNameOf(identifier)}
    </Link>
  )
}

/** An address of the EVM, by its name where it has one. */
export function EvmPartyLink({
  party,
  ...rest
}: Reference & {
  readonly party: { readonly hash: string; readonly name: string | null } | null
}): ReactNode {
  if (party === null) return <span className="soft">nobody</span>
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
  /** What else is to be said of it. */
  readonly children?: ReactNode
}

/** A fungible token: its sign, its name, its symbol. */
export function TokenName({ id, token, children }: TokenNameProps): ReactNode {
  return (
    <span className="token-name">
      <Picture source={token.logo} alt="" size={22} of={id} letter={initialOf(token.symbol ?? token.name)} />
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
  /** An exact decimal; null where it is not known. */
  readonly amount: string | null
  readonly unit?: string
  /** Digits behind the point; the others are told on hover. Default: all. */
  readonly decimals?: number
}

/** An exact amount with its thousands apart. */
export function Amount({ amount, unit, decimals }: AmountProps): ReactNode {
  if (amount === null) return <span className="soft">–</span>
  const shown = formatAmount(decimals === undefined ? amount : cutAmount(amount, decimals))
  const whole = formatAmount(amount)
  return (
    <span className="amount" title={shown === whole ? undefined : whole}>
      {shown}
      {unit !== undefined && ` ${unit}`}
    </span>
  )
}

/** When something was or will be: exact, and how long ago or from now. */
export function Moment({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return <span className="soft">not known</span>
  return (
    <>
      {formatTime(at)}{' '}
      <span className="soft nowrap">
        (<Ago at={at} />)
      </span>
    </>
  )
}

/** A link that somebody else wrote: only to the web, and it is told nothing of this page. */
export function OutsideLink({ to }: { readonly to: string }): ReactNode {
  const isWeb = URL.canParse(to) && ['https:', 'http:'].includes(new URL(to).protocol)
  if (!isWeb) return <span className="wrap">{to}</span>
  return (
    <a className="outside" href={to} target="_blank" rel="noreferrer noopener nofollow ugc">
      {to} <Icon name="external" size={13} />
      <span className="visually-hidden"> (opens a new tab)</span>
    </a>
  )
}

/** A part of a whole, 0 to 1, in per cent and as a bar; null where it is not known. */
export function Share({ part }: { readonly part: number | null }): ReactNode {
  if (part === null) return <span className="soft">–</span>
  return (
    <span className="share">
      {formatPart(part)}
      <span className="share-bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, part * 100)}%` }} />
      </span>
    </span>
  )
}

const openTo = 2
const longText = 160

/** Any value of JSON, its parts below it; what is an address or a type of a contract leads there. */
export function ValueTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }): ReactNode {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} />
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value)
  if (entries.length === 0) return <span className="soft">{Array.isArray(value) ? 'an empty list' : 'nothing'}</span>
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
  if (depth < openTo && entries.length <= 16) return list
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
  if (text.length > longText) {
    return (
      <details>
        <summary className="wrap">{text.slice(0, longText)}…</summary>
        <span className="wrap">{text}</span>
      </details>
    )
  }
  return <span className="wrap value">{text === '' ? <span className="soft">an empty text</span> : text}</span>
}

const gateways = readGateways(document)

interface PictureProps {
  readonly source: string | null
  /** What is to be seen; empty where words beside it say so. */
  readonly alt: string
  readonly size: number | 'fill'
  /** The id or name that the sign is made of where there is no picture. */
  readonly of: string
  /** What is shown in the sign in place of its pattern. */
  readonly letter?: string | undefined
  /** Whether words below it say that it is no picture. */
  readonly hasNote?: boolean
}

/**
 * A picture from anywhere: it is told nothing of this page, and waits until it is in sight. Where it cannot be had,
 * it is looked for at the next place that may have it, and in the end a sign stands for it.
 */
export function Picture({ source, alt, size, of, letter, hasNote = false }: PictureProps): ReactNode {
  // By the source: what a list shows at a place may become another thing.
  const [failed, setFailed] = useState({ source, count: 0 })
  const count = failed.source === source ? failed.count : 0
  const address = pictureSources(source, gateways)[count]
  const style = size === 'fill' ? undefined : { width: size, height: size }
  const className = size === 'fill' ? 'picture fill' : 'picture'
  if (address === undefined) {
    return (
      <>
        <span
          className={`${className} none`}
          style={style}
          role={alt === '' ? undefined : 'img'}
          aria-label={alt === '' ? undefined : `${alt}: no picture`}
        >
          <SignPicture of={of} letter={letter} />
        </span>
        {hasNote && (
          <span className="note">
            {source === null ? 'No picture of it is known' : 'Its picture cannot be had'}; this sign is made of its id.
          </span>
        )}
      </>
    )
  }
  return (
    <img
      key={address}
      className={className}
      style={style}
      src={address}
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

interface SignPictureProps {
  /** What the sign is made of. */
  readonly of: string
  /** Shown in place of the pattern: for where it is too small to be told from others. */
  readonly letter?: string | undefined
}

const cell = 10
const margin = 15

/** Stands in place of a picture that there is not; nothing but the id or name it is made of is in it. */
function SignPicture({ of, letter }: SignPictureProps): ReactNode {
  const { hue, cells } = signOf(of)
  const size = signSize * cell + 2 * margin
  return (
    <svg
      className="sign"
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
            x={margin + column * cell}
            y={margin + row * cell}
            width={cell}
            height={cell}
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
