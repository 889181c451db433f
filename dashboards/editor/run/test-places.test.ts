import { expect } from 'chai'
import { locationsIn, placeOfTest } from './test-places.ts'

describe('places of test results', () => {
  const files = new Map([
    ['tests/a_test.cdc', 'import Test\n\naccess(all) fun testAdd() {}\naccess(all) fun testA() {}\n'],
    ['contracts/A.cdc', ''],
  ])

  it('are the declarations of tests', () => {
    const file = 'tests/a_test.cdc'
    expect(placeOfTest(files, { file, name: 'testA' })).to.deep.equal({ path: file, line: 4, column: 1 })
    expect(placeOfTest(files, { file, name: 'testMade' })).to.deep.equal({ path: file, line: 1, column: 1 })
    expect(placeOfTest(files, { file: 'gone', name: 'a' })).to.deep.equal({ path: 'gone', line: 1, column: 1 })
  })

  it('are found in texts, for files of the project', () => {
    const text = 'a\n --> tests/a_test.cdc:3:4\n --> A.0000000000000007.A:1:0 b:1:2 A.0000000000000007.B:1:1'
    expect(locationsIn(text, files)).to.deep.equal([
      ['a\n --> '],
      ['tests/a_test.cdc:3:4', { path: 'tests/a_test.cdc', line: 3, column: 5 }],
      ['\n --> '],
      ['A.0000000000000007.A:1:0', { path: 'contracts/A.cdc', line: 1, column: 1 }],
      [' b:1:2 A.0000000000000007.B:1:1'],
    ])
    expect(locationsIn('', files)).to.deep.equal([])
  })
})
