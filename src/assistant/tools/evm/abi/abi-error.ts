import { ApiError } from '../../../../platform/errors.ts'

/** A signature or a value that is not of the ABI. @param field the argument of the tool */
export function abiError(code: 'bad-signature' | 'bad-argument', message: string, field: string): ApiError {
  return new ApiError(400, code, message, { field })
}
