import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { QueryService } from '../ask/query-service.ts'
import { advertised } from '../base/mcp/advertised-schema.ts'
import { scriptToolName, sqlToolNames } from './tools/tool-names.ts'

/** An argument ends up in a text for a model; a page of it is enough. */
const wish = z.string().min(1).max(4000)

const questionArguments = advertised(z.object({ question: wish.describe('What is to be found out.') }))
const accountArguments = advertised(
  z.object({
    address: z
      .string()
      .regex(/^(0x)?[0-9a-fA-F]{16}$/)
      .describe('A Flow address: 0x and 16 hex digits.'),
  }),
)
const scriptArguments = advertised(z.object({ goal: wish.describe('What the script is to read from the chain.') }))

/** Adds the prompts: beginnings of conversations that people pick from a menu of their client. */
export function registerPrompts(server: McpServer, { targets }: QueryService): void {
  server.registerPrompt(
    'query-flow-data',
    {
      title: 'Answer a question with SQL',
      description: 'Finds the tables, writes the SQL, runs it and explains the result.',
      argsSchema: questionArguments,
    },
    ({ question }) =>
      asked(
        `Answer this question about the Flow blockchain: ${question}\n\n` +
          `Read schema://indexer-ddl, find the tables that have the answer, and run one SELECT with ${sqlToolNames.indexer}. ` +
          (targets.includes('evm')
            ? `For contracts, tokens and transactions of Flow EVM use schema://evm-explorer-ddl and ${sqlToolNames.evm}. `
            : '') +
          'If the statement fails, mend it by its error. Answer in the language of the question, show the SQL, give the unit of every number, and say so when rows were cut.',
      ),
  )
  server.registerPrompt(
    'describe-account',
    {
      title: 'Describe an account',
      description: 'What an account holds, has deployed and has done lately.',
      argsSchema: accountArguments,
    },
    ({ address }) =>
      asked(
        `Describe the Flow account ${normalAddress(address)}: when it was created, its keys, the tokens and NFTs it holds, contracts it has deployed, staking, and its latest transactions. ` +
          `Read schema://indexer-ddl, use ${sqlToolNames.indexer}, and ${scriptToolName} for the balance at this moment. Say which of it is indexed and which was asked of the chain.`,
      ),
  )
  server.registerPrompt(
    'write-chain-script',
    {
      title: 'Write and run a Cadence script',
      description: 'Writes a read-only script, runs it and explains what it returned.',
      argsSchema: scriptArguments,
    },
    ({ goal }) =>
      asked(
        `Write a Cadence 1.0 script that reads from the Flow blockchain: ${goal}\n\n` +
          `Read schema://script-reference, run the script with ${scriptToolName}, mend it by its error if it fails, and explain the result.`,
      ),
  )
}

function asked(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function normalAddress(address: string): string {
  return `0x${address.replace(/^0x/, '').toLowerCase()}`
}
