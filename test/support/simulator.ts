/** Before each file of tests: they run the RTL with the simulator that the environment names. */
import { useSimulator } from '../../src/sim/index.ts';
import { environment } from './environment.ts';

useSimulator(environment.sim, environment.variant);
