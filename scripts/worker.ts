import { command, runCommandGroup } from './cli/command.ts'
import { flag, someOf, text } from './cli/options.ts'

const json = flag('Print the result as JSON.')

await runCommandGroup({
  name: 'worker',
  summary: 'Creates, lists and removes workers that index the events of a contract into tables of your own.',
  commands: {
    init: command({
      name: 'worker -- init',
      summary: 'Writes a worker for the events of a contract: a folder with typed events, tables and a test.',
      operand: '<contract>',
      options: {
        events: someOf(
          '<patterns>',
          undefined,
          'Only these events: names or patterns with *, with commas. Default: all.',
        ),
        dir: text('<folder>', 'Folder of your workers, as in WORKERS_DIR. Default my-workers, which the demo loads.'),
        name: text('<name>', 'Name of the worker. Default: the name of the contract, e.g. top-shot.'),
        node: text('<host:port>', 'Read the contract from this access node instead of the database.'),
      },
      notes: [
        'Without a database, a running demo on this machine is used, and otherwise the access nodes of ' +
          'CHAIN_ACCESS_NODE. Files are never overwritten.',
      ],
      examples: [
        ['A.0b2a3299cc857e29.TopShot', 'A table for each event, in my-workers/top-shot.'],
        ["TopShot --events 'Moment*,PlayCreated' --name moments", 'Some events, by the name of the contract.'],
        ['A.0b2a3299cc857e29.TopShot --node access.mainnet.nodes.onflow.org:9000', 'Without a database.'],
      ],
      run: async ({ operand, options }) => (await import('./worker/init.ts')).init(operand, options),
    }),
    list: command({
      name: 'worker -- list',
      summary: 'Lists the workers with their contract, progress and errors.',
      options: { json },
      examples: [['', 'All workers of the database.']],
      run: async ({ options }) => (await import('./worker/list.ts')).list(options.json),
    }),
    remove: command({
      name: 'worker -- remove',
      summary: 'Deletes a worker and its tables from the database. Its folder stays.',
      operand: '<name>',
      options: { yes: flag('Do not ask.') },
      notes: ['A flowfarm that still has the folder in WORKERS_DIR adds the worker again: delete the folder first.'],
      examples: [['own_top_shot', 'Asks, then drops the schema own_top_shot.']],
      run: async ({ operand, options }) => (await import('./worker/remove.ts')).remove(operand, options.yes),
    }),
  },
})
