import { ApiError } from '../../platform/errors.ts'

const statuses = {
  UNAUTHORIZED: 401,
  ORIGIN_NOT_ALLOWED: 403,
  /** Missing or not visible. */
  NOT_FOUND: 404,
  /** Changed since the version that the save is based on. */
  CONFLICT: 409,
  INVALID_INPUT: 400,
  INVALID_PATH: 422,
  INVALID_TEXT: 422,
  QUOTA_EXCEEDED: 422,
  /** Used by another save. */
  SAVE_ID_REUSED: 422,
  RATE_LIMITED: 429,
} as const

type ProjectErrorCode = keyof typeof statuses

interface ProjectErrorOptions {
  readonly field?: string
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

/** Also for deleted users. */
export function notSignedIn(): ApiError {
  return projectError(
    'UNAUTHORIZED',
    'Authentication required. Send the access token as `Authorization: Bearer <token>`.',
  )
}

export function noSuchProject(): ApiError {
  return projectError('NOT_FOUND', 'The project does not exist or is private. Sign in as its owner to open it.')
}

/** Otherwise a new save would count as done. */
export function saveIdReused(): ApiError {
  const field = 'save_id'
  return projectError('SAVE_ID_REUSED', '"save_id" was used for another save. Create a new one for each save.', {
    field,
    facts: { field },
  })
}
