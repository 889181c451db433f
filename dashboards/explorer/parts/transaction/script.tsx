import type { ReactNode } from 'react'
import { NothingHere } from '../../../kit/state.tsx'
import { useAnswer } from '../../queries.ts'
import { Answer } from '../answer.tsx'
import { CodeView } from '../code-view.tsx'

export interface TransactionScriptProps {
  /** Null where the answer left it out: then it is asked for by its hash. */
  readonly script: string | null
  readonly hash: string
}

/** The Cadence that a transaction ran. */
export function TransactionScript({ script, hash }: TransactionScriptProps): ReactNode {
  return (
    <section className="panel" aria-label="Script">
      {script === null && hash !== '' ? <KeptScript hash={hash} /> : <Code text={script ?? ''} />}
    </section>
  )
}

function KeptScript({ hash }: { readonly hash: string }): ReactNode {
  const query = useAnswer('/flow/script/{hash}', { hash })
  return (
    <Answer query={query} what="the script of this transaction">
      {({ data: [kept] }) => <Code text={kept?.script_text ?? ''} />}
    </Answer>
  )
}

function Code({ text }: { readonly text: string }): ReactNode {
  if (text === '') return <NothingHere title="No script">The text of this transaction is not kept here.</NothingHere>
  return <CodeView code={text} label="script" />
}
