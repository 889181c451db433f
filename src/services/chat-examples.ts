import { examplePairs } from '../ask/examples/example-pairs.ts'
import type { Network } from '../chain/network.ts'
import type { ScriptedExample } from '../chat/models/scripted/scripted-example.ts'

/** Examples of the query service that the chat shows to begin with, by their first wording. Their charts are of all five kinds. */
const chosen: readonly { readonly question: string; readonly title: string; readonly isShares?: boolean }[] = [
  { question: 'How many transactions were there each day?', title: 'Transactions by day' },
  {
    question: 'How are FLOW transfers distributed by size in the last 10,000 blocks?',
    title: 'FLOW transfers by size',
    isShares: true,
  },
  { question: 'Which fungible tokens have the most holders?', title: 'Holders by token' },
  { question: "Which contracts do users' transactions import most often?", title: 'Transactions by imported contract' },
  {
    question: 'How many scheduled transactions are there by status and priority?',
    title: 'Scheduled transactions by status and priority',
    isShares: true,
  },
  { question: 'What kinds of transactions were there in the last 10,000 blocks?', title: 'Transactions by kind' },
  { question: 'How many accounts were created each day?', title: 'New accounts by day' },
  { question: 'Which nodes have the most FLOW staked?', title: 'FLOW staked by node' },
]

/**
 * The example questions of the chat, with the addresses of a network.
 * @throws Error for one that the query service does not have: then this list is wrong
 */
export function chatExamples(network: Network): readonly ScriptedExample[] {
  const pairs = new Map(examplePairs('indexer', network).map((pair) => [pair.questions[0], pair]))
  return chosen.map(({ question, ...chart }) => {
    const pair = pairs.get(question)
    if (pair === undefined) throw new Error(`The chat names an example question that there is not: ${question}`)
    return { ...pair, ...chart }
  })
}
