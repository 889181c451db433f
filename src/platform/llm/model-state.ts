/** What is told of the model. Nothing of it is a secret. */
export interface ModelState {
  /** `anthropic`, `openai` … */
  readonly provider: string
  readonly name: string
  /** True for the scripted one, which knows its example questions and nothing else. */
  readonly isScripted: boolean
}
