import type { ReactNode } from 'react'

/** Shows paragraphs, `- ` lists, `## ` headings, indented code and inline code. */
export function Text({ text }: { readonly text: string }): ReactNode {
  return text.split('\n\n').map((part, i) => <Block key={i} text={part} />)
}

function Block({ text }: { readonly text: string }): ReactNode {
  if (text.startsWith('## ')) {
    const title = text.slice(3)
    return <h2 id={title.toLowerCase().replaceAll(' ', '-')}>{title}</h2>
  }
  if (text.startsWith('    '))
    return (
      <pre className="sample" tabIndex={0}>
        {text.replaceAll(/^ {4}/gm, '')}
      </pre>
    )
  if (text.startsWith('- '))
    return (
      <ul className="bullets">
        {text.split(/\n?^- /m).flatMap((line, i) => (line === '' ? [] : [<li key={i}>{inline(line)}</li>]))}
      </ul>
    )
  return <p>{inline(text)}</p>
}

function inline(text: string): ReactNode[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))
}
