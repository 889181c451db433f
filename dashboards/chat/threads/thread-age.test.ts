import { expect } from 'chai'
import { groupByAge } from './thread-age.ts'

describe('the ages of conversations', () => {
  it('are told by days', () => {
    const noon = new Date(2026, 10, 22, 12).getTime()
    const hour = 3_600_000
    const at = (hoursAgo: number) => ({
      id: String(hoursAgo),
      title: '',
      createdAt: 0,
      updatedAt: noon - hoursAgo * hour,
    })
    const groups = groupByAge([at(0), at(11), at(13), at(35), at(37), at(150), at(200)], noon)
    expect(groups.map(({ name, threads }) => `${name}: ${threads.map(({ id }) => id).join(' ')}`)).to.deep.equal([
      'Today: 0 11',
      'Yesterday: 13 35',
      'Last 7 days: 37 150',
      'Earlier: 200',
    ])
    expect(groupByAge([], noon)).to.deep.equal([])
  })
})
