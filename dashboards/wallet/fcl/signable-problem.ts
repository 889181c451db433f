import { SigningError } from '../../../clients/signing/signing-error.ts'

/** Why something that an application sent cannot be signed, for the person and for those who wrote the application. @throws what is no fault of what was sent */
export function fclShapeProblem(error: unknown): string {
  if (!(error instanceof SigningError)) throw error
  return error.field === 'message'
    ? 'What the page wants to have signed is not the transaction that it shows. Its message has to be that of its voucher.'
    : `The page sent something that no wallet can sign: ${error.message}.`
}
