import { ApiError } from '../../platform/errors.ts'

/** What the projects function answers where something was not done; clients act on the code. */
const statuses = {
  UNAUTHORIZED: 401,
  ORIGIN_NOT_ALLOWED: 403,
  /** There is none, or it is not for whoever asks: the answer is the same. */
  NOT_FOUND: 404,
  /** The project has changed since the version that a save was made from. */
  CONFLICT: 409,
  INVALID_INPUT: 400,
  INVALID_PATH: 422,
  INVALID_TEXT: 422,
  QUOTA_EXCEEDED: 422,
  /** The same `save_id` stood for something else before. */
  SAVE_ID_REUSED: 422,
  RATE_LIMITED: 429,
} as const

type ProjectErrorCode = keyof typeof statuses

interface ProjectErrorOptions {
  readonly field?: string
  /** What else `error` of the answer has. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

export function projectError(
  code: ProjectErrorCode,
  text: string,
  { field, facts, retryAfterSeconds, cause }: ProjectErrorOptions = {},
): ApiError {
  return new ApiError(statuses[code], code, text, {
    cause,
    ...(field === undefined ? {} : { field }),
    details: { facts: facts ?? {}, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  })
}

/** Or signed in once, and deleted since. */
export function notSignedIn(): ApiError {
  return projectError('UNAUTHORIZED', 'Sign in, and send the access token as `Authorization: Bearer <token>`.')
}

/** What a private project of somebody else is to all others, too. */
export function noSuchProject(): ApiError {
  return projectError('NOT_FOUND', 'There is no such project, or it is private; sign in as its owner to see it.')
}

/** Else a save that is new would be taken for one that is done. */
export function saveIdReused(): ApiError {
  const field = 'save_id'
  return projectError('SAVE_ID_REUSED', 'This "save_id" stood for another save; make a new one for each.', {
    field,
    facts: { field },
  })
}
