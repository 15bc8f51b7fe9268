import { it } from 'vitest';

/** Whether the long tests run too: `./dev lab-test` and `./dev test --all` say so. */
export const ALL = Boolean(process.env.LANEWISE_TEST_ALL);
export const long = it.skipIf(!ALL);
