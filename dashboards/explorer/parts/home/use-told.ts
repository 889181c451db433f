import { useState } from 'react'
import { useAnswer } from '../../queries.ts'
import { tellSummary } from '../../told-summary.ts'
import type { Sentence } from '../../told-moves.ts'

const everyMs = 2000
const asked = 60
const kept = 400

type Told = ReadonlyMap<string, Sentence>

/**
 * What the latest transactions moved, by their ids. It is derived a moment after a transaction is told of, so it is asked
 * for; what was told once stays, so that a row does not lose its sentence when others come.
 */
export function useTold(): Told {
  const { data } = useAnswer('/flow/transaction', { limit: asked }, { everyMs })
  const [told, setTold] = useState<{ readonly of: unknown; readonly sentences: Told }>({
    of: undefined,
    sentences: new Map(),
  })
  if (data === undefined || told.of === data) return told.sentences
  const fresh = data.data.flatMap((transaction): [string, Sentence][] => {
    const sentence = tellSummary(transaction)
    return sentence === undefined ? [] : [[transaction.id, sentence]]
  })
  const sentences = new Map([...told.sentences, ...fresh].slice(-kept))
  setTold({ of: data, sentences })
  return sentences
}
