/** The rows of app.indexing_checkpoints that say which heights the raw tables hold; all others are of workers. */
export const ingesterServices = ['main_ingester', 'history_ingester'] as const
