import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { flowConfig, reportOf } from '../../../src/editor/test-runs/run-tests.ts'
import type { RunTests, TestReport } from '../../../src/editor/test-runs/run-tests.ts'
import { sandboxLimits } from '../../../src/editor/test-runs/sandbox.ts'
import { findStandIn, printing } from './stand-in.ts'
import type { SandboxLimits } from '../../../src/editor/test-runs/sandbox.ts'

const testFile = 'tests/a_test.cdc'

/** Skips the test where namespaces are not allowed. */
async function runnerOrSkip(running: Mocha.Context, limits: Partial<SandboxLimits> = {}): Promise<RunTests> {
  const program = await findStandIn(limits)
  if (!program.isOn) return running.skip()
  return program.run
}

describe('test runs', function () {
  this.timeout(60_000)
  const { TMPDIR: before } = process.env
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-test-runs-'))
    process.env['TMPDIR'] = folder
  })
  afterEach(async () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    await rm(folder, { recursive: true })
  })

  it('return an outcome per test, with the log and the arguments of the CLI', async function () {
    const run = await runnerOrSkip(this)
    const code = `echo "args: $arguments"\nfind . -type f | sort\n${printing({
      [testFile]: { testAdd: 'PASS', testFail: `FAIL: Execution failed:\n  --> ${testFile}:5:4` },
      meta: { info: 'Coverage: 50%' },
    })}exit 1\n`
    const files = new Map([
      [testFile, code],
      ['contracts/A.cdc', 'access(all) contract A {}'],
    ])
    const { outcomes, error, log } = await run(files, [testFile])
    expect(outcomes).to.deep.equal([
      { file: testFile, name: 'testAdd', has_passed: true, error: null },
      { file: testFile, name: 'testFail', has_passed: false, error: `Execution failed:\n  --> ${testFile}:5:4` },
    ])
    expect(error).to.equal(null)
    expect(log).to.equal(
      `args: test --output json --skip-version-check ${testFile}\n./contracts/A.cdc\n./flow.json\n./${testFile}`,
    )
  })

  it('see no network, no secrets, no other files and no other processes, and write only to /tmp', async function () {
    const run = await runnerOrSkip(this)
    process.env['EDITOR_TEST_SECRET'] = 'secret'
    const probe = `
env | sort
ls /
cat /etc/passwd 2>&1 || true
cat ${import.meta.filename} 2>&1 || true
grep -c : /proc/net/dev
ls /proc | grep -c '^[0-9]' | { read count; [ "$count" -lt 10 ] && echo few processes; }
for place in ./a /program /usr/a; do (echo x > $place) 2>/dev/null || echo "cannot write $place"; done
echo x > /tmp/a && echo wrote /tmp
`
    let report: TestReport
    try {
      report = await run(new Map([[testFile, probe]]), [testFile])
    } finally {
      delete process.env['EDITOR_TEST_SECRET']
    }
    const lines = report.log.split('\n')
    expect(report.log).not.to.match(/secret|root:|describe\(/)
    expect(lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split('=')[0])).to.have.members(
      lines.some((line) => line.startsWith('OLDPWD='))
        ? ['HOME', 'OLDPWD', 'PATH', 'PWD', 'TMPDIR']
        : ['HOME', 'PATH', 'PWD', 'TMPDIR'],
    )
    expect(lines).to.include.members([
      '1', // the loopback interface
      'few processes',
      'cannot write ./a',
      'cannot write /program',
      'cannot write /usr/a',
      'wrote /tmp',
    ])
    expect(lines.filter((line) => /No such file/.test(line))).to.have.lengthOf(2)
    expect(report.error).to.match(/no results \(exit code 0\)/)
  })

  it('are stopped at their limits, and leave nothing behind', async function () {
    const loop = 'while :; do :; done'
    const endless = await (
      await runnerOrSkip(this, { runMs: 1500 })
    )(new Map([[testFile, `sleep 1000 & ${loop}`]]), [testFile])
    expect(endless.error).to.equal('The tests ran longer than 1.5 s and were stopped.')
    const run = await runnerOrSkip(this)
    const loud = await run(new Map([[testFile, `while :; do echo loud; echo err >&2; done`]]), [testFile])
    expect(loud.error).to.equal('The tests printed more than 10000 bytes and were stopped.')
    expect(loud.log.length).to.be.at.most(10_000)
    const exact = await run(new Map([[testFile, `printf '%010000d' 0`]]), [testFile])
    expect(exact.error).to.match(/^The Flow CLI returned no results/)
    const huge = await run(new Map([[testFile, `head -c 100000000 /dev/zero > /tmp/a; wc -c < /tmp/a`]]), [testFile])
    expect(huge.error).to.match(/no results/)
    const abort = new AbortController()
    const aborted = run(new Map([[testFile, loop]]), [testFile], abort.signal)
    abort.abort()
    expect((await aborted).error).to.match(/no results/)
    expect((await readdir(folder)).filter((name) => name.startsWith('flowfarm-test-run-'))).to.deep.equal([])
  })

  it('read any output of the CLI', () => {
    const read = (stdout: string, code = 0): TestReport =>
      reportOf({ end: 'ended', code, stdout, stderr: '', ms: 1 }, sandboxLimits)
    expect(read('{"a_test.cdc": {}}').error).to.match(/no tests/)
    expect(read('{"a_test.cdc": "PASS"}', 1).error).to.match(/no results \(exit code 1\)/)
    expect(read('{\n').error).to.match(/no results/)
    expect(read('{ log }\n{"./a_test.cdc": {"t": "FAIL: x"}}')).to.deep.include({
      log: '{ log }',
      outcomes: [{ file: 'a_test.cdc', name: 't', has_passed: false, error: 'x' }],
    })
  })

  it('name the contracts of the project for the CLI', () => {
    const files = new Map([
      ['contracts/A.cdc', '// A\naccess(all) contract A: B {}'],
      ['contracts/I.cdc', 'access(all) contract interface I {}'],
      ['a_test.cdc', 'access(all) contract T {}'],
      ['scripts/s.cdc', 'access(all) fun main() {}'],
    ])
    const aliases = { testing: '0000000000000007' }
    expect(JSON.parse(flowConfig(files))).to.deep.equal({
      contracts: { A: { source: 'contracts/A.cdc', aliases }, I: { source: 'contracts/I.cdc', aliases } },
    })
  })
})
