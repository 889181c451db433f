import { createContext, memo, useContext, useMemo, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components, ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { Cell, ColumnName, Row, Table, TableBody } from '../../kit/table.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { toTabSeparated, escapeInvisible } from '../../kit/result-table.ts'
import { annotate, nodeText, splitBlocks, explorerAddress, explorerPath, linkAllowed } from './markdown-text.ts'
import type { IdHint } from './markdown-text.ts'
import { Icon } from '../../kit/controls.tsx'
import { useLinkPolicy } from '../settings.ts'
import { readCadenceTokens, readSqlTokens } from '../../kit/code-tokens.ts'
import { Tokens } from '../../kit/code.tsx'

/** While the text streams, only the last block is rendered again. */
export const Markdown = memo(function Markdown({
  text,
  isLive = false,
}: {
  readonly text: string
  readonly isLive?: boolean
}): ReactNode {
  const blocks = useMemo(() => splitBlocks(text), [text])
  return (
    <div className="prose">
      {blocks.map((block, i) => (
        <Block
          key={i}
          text={isLive && i === blocks.length - 1 ? remend(block, { linkMode: 'text-only', images: false }) : block}
        />
      ))}
    </div>
  )
})

const Block = memo(function Block({ text }: { readonly text: string }): ReactNode {
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      urlTransform={asItIs}
    >
      {text}
    </ReactMarkdown>
  )
})

const remarkPlugins = [remarkGfm]
const rehypePlugins = [annotate]

/** `SafeLink` decides about link targets. */
function asItIs(address: string): string {
  return address
}

type Props<Name extends keyof React.JSX.IntrinsicElements> = ComponentProps<Name> &
  ExtraProps & { readonly 'data-hint'?: IdHint; readonly 'data-label'?: string }

const components: Components = {
  a: ({ href, children, node }) => (
    <SafeLink href={href} text={nodeText(node)}>
      {children}
    </SafeLink>
  ),
  img: ({ src, alt }) => <ImageText address={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h5>{children}</h5>,
  h6: ({ children }) => <h5>{children}</h5>,
  input: ({ checked }) => <span className="task">{checked === true ? '☑' : '☐'}</span>,
  pre: ({ node }) => {
    const code = node?.children[0]
    const names: unknown = code?.type === 'element' ? code.properties['className'] : undefined
    const language = Array.isArray(names) ? String(names[0]).replace(/^language-/, '') : ''
    return <ProseCode code={nodeText(code).replace(/\n$/, '')} language={language} />
  },
  code: ({ node, children, 'data-hint': hint }: Props<'code'>) => (
    <IdLink text={nodeText(node)} hint={hint}>
      <code>{children}</code>
    </IdLink>
  ),
  table: ({ children, className }) => <MarkdownTable className={className}>{children}</MarkdownTable>,
  tbody: ({ children }) => <TableBody>{children}</TableBody>,
  tr: ({ children }) => <Row>{children}</Row>,
  th: ({ children, className, style }) => (
    <ColumnName className={className} style={style}>
      {children}
    </ColumnName>
  ),
  td: ({ node, children, className, style, 'data-hint': hint, 'data-label': label }: Props<'td'>) => {
    const [only, ...others] = node?.children ?? []
    const isText = others.length === 0 && only?.type === 'text'
    return (
      <Cell className={className} style={style} {...(label === undefined ? {} : { label })}>
        {isText ? (
          <IdLink text={nodeText(node).trim()} hint={hint}>
            {children}
          </IdLink>
        ) : (
          children
        )}
      </Cell>
    )
  },
}

function MarkdownTable({
  className = '',
  children,
}: {
  readonly className?: string | undefined
  readonly children: ReactNode
}): ReactNode {
  const table = useRef<HTMLTableElement>(null)
  const read = (): string => {
    const [head = [], ...rows] = [...(table.current?.rows ?? [])].map((row) =>
      [...row.cells].map((cell) => cell.textContent.trim()),
    )
    return toTabSeparated({ columns: head.map((name) => ({ name, type: 'text', isNumber: false })), rows })
  }
  return (
    <div className="framed-table">
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
        <Table ref={table} className={className}>
          {children}
        </Table>
      </div>
      <span className="framed-copy">
        <CopyButton text={read} what="the table" />
      </span>
    </div>
  )
}

const maxAddressLength = 300

export function SafeLink({
  href = '',
  text,
  children,
}: {
  readonly href?: string | undefined
  readonly text: string
  readonly children: ReactNode
}): ReactNode {
  const linkPolicy = useLinkPolicy()
  if (linkAllowed(href, linkPolicy)) {
    return (
      <a className="outside" href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
        <span className="visually-hidden"> (opens a new tab)</span>
      </a>
    )
  }
  return (
    <span>
      {text !== href && <>{children} </>}
      <Address address={href} />
    </span>
  )
}

/** Images are never loaded: a request would reveal the reader and the data in the address. */
function ImageText({ address, alt }: { readonly address: string; readonly alt: string }): ReactNode {
  return (
    <span className="picture-text" title="Images in answers are not loaded">
      <Icon name="picture" size={14} />
      <span>
        {alt === '' ? 'Image' : escapeInvisible(alt)} <Address address={address} />
      </span>
    </span>
  )
}

function Address({ address }: { readonly address: string }): ReactNode {
  const shown = escapeInvisible(address.length > maxAddressLength ? `${address.slice(0, maxAddressLength)}…` : address)
  return shown === '' ? null : <bdi className="address">{shown}</bdi>
}

export function IdLink({
  text,
  hint,
  children,
}: {
  readonly text: string
  readonly hint?: IdHint | undefined
  readonly children: ReactNode
}): ReactNode {
  const { explorerUrl } = useLinkPolicy()
  const path = explorerUrl === undefined ? undefined : explorerPath(text, hint)
  if (explorerUrl === undefined || path === undefined) return children
  return (
    <a
      className="id-link"
      href={explorerAddress(explorerUrl, path)}
      target="_blank"
      rel="noopener noreferrer"
      title="Open in the explorer"
    >
      {children}
    </a>
  )
}

/** Below a SQL block of a finished answer. */
export const SqlActionsContext = createContext<((sql: string) => ReactNode) | undefined>(undefined)

function ProseCode({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  const actions = useContext(SqlActionsContext)
  const isSql = Object.hasOwn(aliases, language.toLowerCase()) && aliases[language.toLowerCase()] === 'sql'
  return (
    <>
      <CodeBlock code={code} language={language} />
      {isSql && actions?.(code)}
    </>
  )
}

const maxColoured = 30_000

const languages = {
  sql: { name: 'SQL', read: readSqlTokens },
  cadence: { name: 'Cadence', read: readCadenceTokens },
} as const
const aliases: Readonly<Record<string, keyof typeof languages>> = {
  sql: 'sql',
  postgresql: 'sql',
  postgres: 'sql',
  pgsql: 'sql',
  psql: 'sql',
  cadence: 'cadence',
  cdc: 'cadence',
}

export const CodeBlock = memo(function CodeBlock({
  code,
  language,
}: {
  readonly code: string
  readonly language: string
}): ReactNode {
  const key = language.toLowerCase()
  const alias = Object.hasOwn(aliases, key) ? aliases[key] : undefined
  const known = alias === undefined ? undefined : languages[alias]
  const name = known?.name ?? (/^[\w+#.-]{1,20}$/.test(language) ? language : 'Text')
  // Invisible characters are escaped in the copy too, since it may be executed.
  const shown = escapeInvisible(code)
  return (
    <figure className="code-block">
      <figcaption>
        <span>{name}</span>
        <CopyButton text={shown} what={`the ${known?.name ?? 'text'}`} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>
          {known !== undefined && shown.length <= maxColoured ? <Tokens tokens={known.read(shown)} /> : shown}
        </code>
      </pre>
    </figure>
  )
})
