import { memo, useMemo, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components, ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { CopyButton } from '../../kit/copy-button.tsx'
import { toTabSeparated } from '../../kit/spreadsheet.ts'
import { annotate, pieceText } from './annotate.ts'
import { CodeBlock } from './code-block.tsx'
import type { IdHint } from './explorer-path.ts'
import { IdLink, PictureText, SafeLink } from './links.tsx'
import { splitBlocks } from './split-blocks.ts'

/** An answer in Markdown. Of one that grows, only the block that is being written is made anew; what is open in it is closed. */
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

/** What an address may be is decided where it becomes a link. */
function asItIs(address: string): string {
  return address
}

type Props<Name extends keyof React.JSX.IntrinsicElements> = ComponentProps<Name> &
  ExtraProps & { readonly 'data-hint'?: IdHint }

/** Nothing of an answer is an element but by one of these and plain text. Headings stand below those of the page. */
const components: Components = {
  a: ({ href, children, node }) => (
    <SafeLink href={href} text={pieceText(node)}>
      {children}
    </SafeLink>
  ),
  img: ({ src, alt }) => <PictureText address={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
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
    return <CodeBlock code={pieceText(code).replace(/\n$/, '')} language={language} />
  },
  code: ({ node, children, 'data-hint': hint }: Props<'code'>) => (
    <IdLink text={pieceText(node)} hint={hint}>
      <code>{children}</code>
    </IdLink>
  ),
  table: ({ children }) => <MarkdownTable>{children}</MarkdownTable>,
  th: ({ children, className, style }) => (
    <th scope="col" className={className} style={style}>
      {children}
    </th>
  ),
  td: ({ node, children, className, style, 'data-hint': hint }: Props<'td'>) => {
    const [only, ...others] = node?.children ?? []
    const isText = others.length === 0 && only?.type === 'text'
    return (
      <td className={className} style={style}>
        {isText ? (
          <IdLink text={pieceText(node).trim()} hint={hint}>
            {children}
          </IdLink>
        ) : (
          children
        )}
      </td>
    )
  },
}

/** A table of an answer: it moves within its frame where it is wider than the page, and can be taken along. */
function MarkdownTable({ children }: { readonly children: ReactNode }): ReactNode {
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
        <table ref={table} className="table">
          {children}
        </table>
      </div>
      <span className="framed-copy">
        <CopyButton text={read} what="the table" />
      </span>
    </div>
  )
}
