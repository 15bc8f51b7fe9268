import './style.css';
import { App } from './app';

const app = new App();
// For tests and a teacher's console: lab.snapshot() is the memory at the current step.
Object.assign(window, { lab: app });
void app.start();
