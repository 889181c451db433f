import { dynamicTool, jsonSchema } from 'ai'
import type { ToolSet } from 'ai'
import { expect } from 'chai'
import { mergeTools } from './create-chat.ts'

const toolsOf = (whose: string, ...names: string[]): ToolSet =>
  Object.fromEntries(
    names.map((name) => [
      name,
      dynamicTool({ description: whose, inputSchema: jsonSchema({ type: 'object' }), execute: () => whose }),
    ]),
  )

describe('tools of a turn', () => {
  it('prefers built-in tools to provider tools, and provider tools to MCP tools', () => {
    const merged = mergeTools({
      builtIn: toolsOf('ours', 'createChart', 'fetch_api'),
      found: toolsOf('found', 'run_indexer_sql', 'fetch_api', 'web_search'),
      provider: toolsOf('provider', 'web_search', 'createChart'),
    })
    expect(Object.entries(merged).map(([name, { description }]) => [name, description])).to.deep.equal([
      ['run_indexer_sql', 'found'],
      ['fetch_api', 'ours'],
      ['web_search', 'provider'],
      ['createChart', 'ours'],
    ])
  })
})
