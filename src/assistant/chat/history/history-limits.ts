/** How much of a conversation is taken in. Characters are those of JavaScript (UTF-16), as browsers count them for `maxLength`. */
export const historyLimits = {
  /** Of a request. A conversation with many results of tools is long. */
  bodyBytes: 4 * 1024 * 1024,
  /** Of what a person writes at once. */
  messageCharacters: 20_000,
  /** The newest; those before are left out. */
  messages: 200,
  /** Of all that goes to the model, written as JSON: some 100,000 tokens. What is older is left out, whole turns at a time. */
  characters: 400_000,
  /** Of one answer with its tools, beyond which their results are cut shorter: the question after it should find it there. */
  answerCharacters: 120_000,
  /** Of one result of a tool. */
  outputCharacters: 30_000,
  /** Of what a tool was called with. */
  inputCharacters: 20_000,
  /** Of why a tool failed. */
  errorCharacters: 4000,
} as const
