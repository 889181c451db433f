import { expect } from 'chai'
import type { RunningApi } from './running-api.ts'

interface Problem {
  readonly code: string
  readonly field?: string
  readonly detail: string
}

/** Expects a 400 that names the invalid parameter and describes valid values. */
export async function expectProblem(api: RunningApi, path: string, field: string, words: string): Promise<void> {
  const response = await api.get(path)
  const text = await response.text()
  expect(response.status, `${path}: ${text}`).to.equal(400)
  const { code, field: named, detail } = JSON.parse(text) as Problem
  expect([code, named], path).to.deep.equal(['invalid-parameter', field])
  expect(detail, path).to.include(words)
}
