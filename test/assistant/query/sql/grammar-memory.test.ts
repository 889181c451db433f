import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const [grammar, parseSelect] = ['grammar', 'sql-gate'].map((name) =>
  join(import.meta.dirname, `../../../../src/assistant/query/sql/gate/${name}.ts`),
)

/** Parses until V8 has optimised hot functions, and prints the peak memory in MiB. */
const program = `
import { readFileSync } from 'node:fs'
import { Grammar } from ${JSON.stringify(grammar)}
import { parseSelect } from ${JSON.stringify(parseSelect)}
const grammar = await Grammar.open()
for (let i = 0; i < 50_000; i++) {
  await parseSelect(grammar, \`SELECT encode(id, 'hex') AS id FROM raw.blocks WHERE height = \${i} ORDER BY 1\`)
  if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
}
console.log(Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024)
`

describe('gate grammar', () => {
  it('compiles without a memory peak of half a gigabyte', async function () {
    if (process.platform !== 'linux') this.skip()
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    expect(Number(stdout)).to.be.within(30, 250)
  })
})
