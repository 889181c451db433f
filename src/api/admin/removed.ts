import { z } from 'zod'

/** The answer of routes that take something away. */
export const removedSchema = z.strictObject({ removed: z.literal(true) }).meta({ id: 'Removed' })
