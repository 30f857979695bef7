/** With what status a command ends; 0 is everything as expected. */
export const Exit = { failed: 1, badInput: 2, simulator: 3, interrupted: 130, terminated: 143 } as const;
