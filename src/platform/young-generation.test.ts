import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

/** Keeps enough alive from collection to collection that V8 wants more room, and prints what it took, in bytes. */
const program = (setUp: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8'
  ${setUp}
  let kept = []
  for (let turn = 0; turn < 60; turn++) {
    for (let i = 0; i < 50_000; i++) kept.push({ i })
    if (kept.length > 200_000) kept = kept.slice(-100_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
`

function youngBytes(setUp: string): number {
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program(setUp)], { encoding: 'utf8' }))
}

describe('young generation', () => {
  it('stops growing near the limit, and would grow beyond it by itself', () => {
    const limited = youngBytes(
      `import { limitYoungGeneration } from '${import.meta.dirname}/young-generation.ts'; limitYoungGeneration()`,
    )
    expect(limited).to.be.at.most(32 * 1024 * 1024)
    expect(youngBytes('')).to.be.greaterThan(limited)
  })
})
