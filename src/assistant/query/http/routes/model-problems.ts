/** What calls that need a model may answer beside 200. */
export const modelProblems = {
  400: 'The question is not valid; `field` names what.',
  429: 'Too many statements of this client wait (`too-many-statements`); `Retry-After` tells when to try again.',
  502: 'The model did not answer, or answered without a statement: `detail` has the reason.',
  503:
    'There is no model here (`no-model`): `detail` says what to set. Or too many statements wait for their turn ' +
    '(`sql-busy`), or the database or the folder of the examples cannot be used.',
  504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
} as const
