import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { problemText } from './api.ts'
import type { Pair, Target } from './contract.ts'
import { useExamples } from './queries.ts'

const shownAtFirst = 4

/** Questions to begin with. */
export function ExampleList({
  target,
  onChoose,
}: {
  readonly target: Target
  readonly onChoose: (pair: Pair) => void
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const { data = [], error } = useExamples()
  const pairs = data.filter((pair) => pair.target === target)
  if (error !== null) return <p className="soft">The example questions could not be loaded: {problemText(error)}</p>
  if (pairs.length === 0) return null
  return (
    <section className={isOpen ? 'examples open' : 'examples'} aria-label="Example questions">
      <ul>
        {(isOpen ? pairs : spread(pairs)).map((pair) => (
          <li key={pair.id}>
            <button type="button" className="example" onClick={() => onChoose(pair)}>
              {pair.question}
            </button>
          </li>
        ))}
        {pairs.length > shownAtFirst && (
          <li>
            <Button look="plain" isSmall aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? 'Fewer' : `${pairs.length - shownAtFirst} more`}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}

/** They come sorted by what they are about: some of them all over the list show how much can be asked. */
function spread(pairs: readonly Pair[]): readonly Pair[] {
  if (pairs.length <= shownAtFirst) return pairs
  return Array.from({ length: shownAtFirst }, (_, i) => pairs[Math.floor((i * pairs.length) / shownAtFirst)]).filter(
    (pair) => pair !== undefined,
  )
}
