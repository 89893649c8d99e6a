mod change;
mod citation;
mod evidence;
mod find;
mod hostile;
mod log;
mod sandbox;
mod since;
