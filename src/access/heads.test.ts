import { expect } from 'chai'
import { HeadPace } from './heads.ts'

describe('HeadPace', () => {
  let now: number
  let pace: HeadPace

  beforeEach(() => {
    now = 1000
    pace = new HeadPace(100, () => now)
  })

  function arriveAfter(ms: number): void {
    now += ms
    pace.arrived()
  }

  function waitAfter(ms: number): number {
    now += ms
    return pace.waitMs
  }

  it('polls at the configured interval until the time between heads is known', () => {
    expect(pace.waitMs).to.equal(100)
    arriveAfter(0)
    expect(waitAfter(0)).to.equal(100)
  })

  it('polls often from half of the time between heads to twice it', () => {
    arriveAfter(0)
    arriveAfter(400)
    expect(waitAfter(0)).to.equal(100)
    expect(waitAfter(150)).to.equal(50)
    expect(waitAfter(50)).to.equal(30)
    expect(waitAfter(599)).to.equal(30)
    expect(waitAfter(1)).to.equal(100)
  })

  it('polls often only shortly before the next of regular heads', () => {
    arriveAfter(0)
    for (let i = 0; i < 40; i++) arriveAfter(i % 2 === 0 ? 810 : 790)
    expect(waitAfter(0)).to.be.closeTo(200, 1)
    expect(waitAfter(200)).to.be.closeTo(200, 1)
    expect(waitAfter(400)).to.be.closeTo(155, 3)
    expect(waitAfter(160)).to.equal(30)
    expect(waitAfter(800)).to.equal(30)
    expect(waitAfter(50)).to.equal(100)
  })

  it('averages recent times', () => {
    arriveAfter(0)
    arriveAfter(400)
    arriveAfter(100)
    expect(waitAfter(140)).to.be.closeTo(30, 0.001)
    expect(waitAfter(539)).to.equal(30)
    expect(waitAfter(2)).to.equal(100)
  })

  it('polls often again as soon as heads become irregular', () => {
    arriveAfter(0)
    for (let i = 0; i < 40; i++) arriveAfter(800)
    expect(waitAfter(0)).to.equal(200)
    arriveAfter(200)
    expect(waitAfter(340)).to.equal(30)
  })
})
