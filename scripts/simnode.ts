import { ledgerHelp, readCommandLine } from '../simnode/ledger/command-line.ts'
import type { LedgerCommand } from '../simnode/ledger/command-line.ts'
import { startLedgerNode } from '../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../simnode/ledger/ledger-node.ts'
import { publishedPayerSetting } from '../simnode/ledger/world/account.ts'
import { runCommand, serveNode } from './serve-node.ts'

function describe(node: LedgerNode, { node: { seed, intervalMs, hasPayer, hasRest } }: LedgerCommand): string {
  const branch = node.version === '' ? '' : `, branch ${node.version}`
  const pace = intervalMs === undefined ? '' : `, a block every ${intervalMs} ms`
  const payer = hasPayer === true ? `; payer ${publishedPayerSetting}` : ''
  const rest = hasRest === true ? `, REST on ${node.restUrl}` : ''
  return (
    `Simulated node ready on ${node.endpoint}${rest}: seed ${seed}${branch} from height ` +
    `${node.sporkRootHeight}, head ${node.head}${pace}${payer}`
  )
}

await runCommand(async () => {
  const command = readCommandLine(process.argv.slice(2), new Date())
  if (command === 'help') process.stdout.write(ledgerHelp)
  else
    await serveNode(
      () => startLedgerNode(command.node),
      command,
      (node) => describe(node, command),
    )
})
