import { expect } from 'chai'
import { limitProblem } from './limit-problem.ts'

const limits = { files: 2, file_bytes: 10, project_bytes: 15 }
const of = (files: Record<string, string>): string | undefined => limitProblem(new Map(Object.entries(files)), limits)

describe('what is too large to be saved', () => {
  it('is nothing up to the limits themselves', () => {
    expect(of({ 'a.cdc': 'äääää', 'b.cdc': '12345' })).to.equal(undefined)
  })

  it('is named with what it has and what it may have', () => {
    expect(of({ 'a.cdc': 'ääääää' }))
      .to.include('a.cdc has 12 bytes')
      .and.to.include('at most 10')
    expect(of({ 'a.cdc': '1234567890', 'b.cdc': '123456' }))
      .to.include('The project has 16 bytes')
      .and.to.include('at most 15')
    expect(of({ a: '', b: '', c: '' }))
      .to.include('has 3 files')
      .and.to.include('at most 2')
  })
})
