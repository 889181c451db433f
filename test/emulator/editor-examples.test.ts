import { expect } from 'chai'
import { addContract } from '../../clients/signing/transactions/make-transaction.ts'
import { createAccount } from '../../clients/signing/transactions/make-transaction.ts'
import { examples } from '../../dashboards/editor/project/examples.ts'
import { AccessNode } from '../../dashboards/editor/run/access-node.ts'
import { argumentValue } from '../../dashboards/editor/run/argument-value.ts'
import { resolveImports } from '../../dashboards/editor/run/resolve-imports.ts'
import { codeShape } from '../../dashboards/editor/run/script-kind.ts'
import { coreContractAddresses } from '../../src/flow/core-contracts.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import type { FlowEmulator } from '../support/flow-emulator.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import type { TestSigner } from '../support/node-client.ts'
import { untilSealed } from '../support/until-sealed.ts'

/** In the order of the parameters. */
const inputs: Readonly<Record<string, (address: string) => readonly string[]>> = {
  'transactions/send-token.cdc': (address) => ['10.5', address],
  'transactions/mint-nft.cdc': () => ['Heron', 'https://example.com/heron.png'],
  'scripts/nft-ids.cdc': (address) => [address],
  'transactions/schedule-alarm.cdc': () => ['Wake up', '60.0'],
  'transactions/call-evm.cdc': () => ['0x000000000000000000000000000000000000dead', 'setNumber(uint256)', '42'],
  'scripts/evm-balance.cdc': () => ['0x000000000000000000000000000000000000dead'],
}

describe('examples of the editor, on a Flow emulator', function (this: Mocha.Suite) {
  let emulator: FlowEmulator
  let client: NodeClient | undefined
  let account: TestSigner

  before(async function (this: Mocha.Context) {
    const program = emulatorProgram()
    if (program === undefined) return this.skip()
    emulator = await startFlowEmulator(program, { blockMs: 200 })
    client = new NodeClient(emulator.endpoint)
    const key = passkeyKey()
    const code = createAccount('emulator', { ...key, startBalance: 10_000_000_000n })
    const id = await client.send(await client.signed({ code, proposer: emulator.service }))
    account = { address: (await untilSealed(client, id)).createdAddress ?? '', keyIndex: 0, key }
  })

  after(async () => {
    if (client === undefined) return
    await client.close()
    await emulator.stop()
  })

  for (const { name, files } of examples) {
    it(`run: ${name}`, async () => {
      if (client === undefined) throw new Error('the suite has not begun')
      const { address } = account
      for (const { path, code } of files) {
        const shape = codeShape(code)
        const script = resolveImports(code, {
          core: coreContractAddresses('emulator'),
          files: new Map(files.map((file) => [file.path, file.code])),
          address,
        })
        const texts = inputs[path]?.(address) ?? []
        const values = shape.parameters.map(({ type }, at) => argumentValue(type, texts[at] ?? ''))
        if (shape.kind === 'script') {
          const node = new AccessNode(emulator.restUrl)
          const { signal } = new AbortController()
          const { height } = await node.sealedBlock(signal)
          expect(await node.runScript(script, values, { height, signal }), path).to.have.property('value')
          continue
        }
        const sent =
          shape.kind === 'contract'
            ? addContract('emulator', { name: shape.name, code: script })
            : { script, arguments: values.map((value) => JSON.stringify(value)) }
        const { error } = await untilSealed(
          client,
          await client.send(await client.signed({ code: sent, proposer: account })),
        )
        expect(error, path).to.equal('')
      }
    })
  }
})
